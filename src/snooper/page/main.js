"use strict"; // main.js - what starts the page
