# bash completion for yoke. Options come from --help, nodes from the agents of this host: nothing here has
# to be kept in step.

# What "yoke list" knows at once, with the key the command line names or the first configuration that can
# be read. One id a line.
_yoke_nodes() {
    local role=$1 word previous='' site=() file
    for word in "${COMP_WORDS[@]:1}"; do
        case $previous in
        --config | --psk-file | --group | --port | --interface) site+=("$previous" "$word") ;;
        esac
        previous=$word
    done
    if [ ${#site[@]} -eq 0 ]; then
        for file in /etc/yoke/*.json; do
            [ -r "$file" ] && site=(--config "$file") && break
        done
    fi
    "${COMP_WORDS[0]}" list --for 0 --json "${site[@]}" 2>/dev/null |
        sed -n "s/.*\"id\":\"\([^\"]*\)\",\"role\":\"$role\".*/\1/p"
}

_yoke_options() {
    "${COMP_WORDS[0]}" "$1" --help 2>/dev/null | sed -n 's/^  \(--*[a-z-]*\).*/\1/p'
}

# How many words before this one are neither options nor their values.
_yoke_place() {
    local valued at count=0
    valued=" $("${COMP_WORDS[0]}" "$1" --help 2>/dev/null | sed -n 's/^  \(--[a-z-]*\) [A-Z].*/\1/p' | tr '\n' ' ')"
    for ((at = 2; at < COMP_CWORD; at++)); do
        case ${COMP_WORDS[at]} in
        -*) [[ $valued == *" ${COMP_WORDS[at]} "* ]] && ((at++)) ;;
        *) ((count++)) ;;
        esac
    done
    echo "$count"
}

_yoke() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]} place
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')" -- "$word")
        return
    fi
    case $previous in
    --config | --psk-file | --read | --record | keygen)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames 2>/dev/null
        return
        ;;
    --interface)
        mapfile -t COMPREPLY < <(compgen -W "$(ls /sys/class/net)" -- "$word")
        return
        ;;
    --log-level)
        mapfile -t COMPREPLY < <(compgen -W "error warning info debug" -- "$word")
        return
        ;;
    --topology)
        mapfile -t COMPREPLY < <(compgen -W "text dot svg json" -- "$word")
        return
        ;;
    --wait)
        [ "$verb" = unpair ] && place=idle || place=active
        mapfile -t COMPREPLY < <(compgen -W "applied $place" -- "$word")
        return
        ;;
    --media)
        mapfile -t COMPREPLY < <(compgen -W "$(_yoke_nodes producer)" -- "$word")
        return
        ;;
    --for | --timeout | --group | --port | --http) return ;;
    esac
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_yoke_options "$verb")" -- "$word")
        return
    fi
    case $verb:$(_yoke_place "$verb") in
    pair:0 | unpair:0 | why:0)
        mapfile -t COMPREPLY < <(compgen -W "$(_yoke_nodes consumer)" -- "$word")
        ;;
    pair:1)
        mapfile -t COMPREPLY < <(compgen -W "$(_yoke_nodes producer)" -- "$word")
        ;;
    *)
        mapfile -t COMPREPLY < <(compgen -W "$(_yoke_options "$verb")" -- "$word")
        ;;
    esac
}

complete -F _yoke yoke
