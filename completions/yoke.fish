# fish completion for yoke. Options come from --help, nodes from the agents of this host.

function __yoke_nodes --argument-names role
    set -l words (commandline -opc)
    set -l site
    for at in (seq 2 (math (count $words) - 1))
        if contains -- $words[$at] --config --psk-file --group --port --interface
            set -a site $words[$at] $words[(math $at + 1)]
        end
    end
    if test (count $site) -eq 0
        for file in /etc/yoke/*.json
            if test -r $file
                set site --config $file
                break
            end
        end
    end
    string replace --filter --regex '.*"id":"([^"]*)","role":"'$role'".*' '$1' -- \
        ($words[1] list --for 0 --json $site 2>/dev/null)
end

# How many of these words behind the verb are neither options nor their values.
function __yoke_place
    set -l valued (string replace --filter --regex '^  (--[a-z-]+) [A-Z].*' '$1' -- \
        ($argv[1] $argv[2] --help 2>/dev/null))
    set -l count 0
    set -l value no
    for word in $argv[3..]
        if test $value = yes
            set value no
        else if contains -- $word $valued
            set value yes
        else if not string match -q -- '-*' $word
            set count (math $count + 1)
        end
    end
    echo $count
end

# Lines like "  --name VALUE  what it is" as the name, a tab and what it is.
function __yoke_rows
    string replace --filter --regex '^  (-*[a-z][a-z-]*)(?: \S+)*? {2,}(\S.*)' '$1'\t'$2' -- $argv
end

function __yoke_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l verb $words[2]
    if test (count $words) -eq 1
        __yoke_rows ($words[1] --help)
        return
    end
    switch $words[-1]
        case --config --psk-file --read --record keygen
            __fish_complete_path $word
            return
        case --interface
            for path in /sys/class/net/*
                string replace --regex '.*/' '' $path
            end
            return
        case --log-level
            printf '%s\n' error warning info debug
            return
        case --topology
            printf '%s\n' text dot svg json
            return
        case --wait
            test "$verb" = unpair; and printf '%s\n' applied idle; or printf '%s\n' applied active
            return
        case --media
            __yoke_nodes producer
            return
        case --for --timeout --group --port --http
            return
    end
    if not string match -q -- '-*' $word
        switch $verb:(__yoke_place $words)
            case pair:0 unpair:0 why:0
                __yoke_nodes consumer
                return
            case pair:1
                __yoke_nodes producer
                return
        end
    end
    __yoke_rows ($words[1] $verb --help 2>/dev/null)
end

complete -c yoke -f -a '(__yoke_complete)'
