# fish completion for armtap. The program itself knows what may follow: armtap --complete WORDS.

function __armtap_complete
    set -l typed (commandline -opc)
    set -l word (commandline -ct | string unescape)
    for answer in ($typed[1] --complete $typed[2..-1] "$word" 2>/dev/null)
        switch $answer
            case :files
                set -l lead (string match -r -- '^--[^=]*=' "$word")
                for file in (__fish_complete_path (string replace -- "$lead" '' "$word"))
                    echo "$lead$file"
                end
            case :open
                # fish puts no blank after / , = or :
            case '*'
                echo $answer
        end
    end
end

complete -c armtap -f -a '(__armtap_complete)'
