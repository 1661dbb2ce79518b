/* A shared object that is no module of ours. */
int strange_function(void);

__attribute__((visibility("default"))) int strange_function(void)
{
    return 4711;
}
