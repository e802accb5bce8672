# fish completion for armtap. The program itself knows what may follow: armtap --complete WORDS.

function __armtap_answers
    set -l typed (commandline -opc)
    set -l word (commandline -ct | string unescape)
    $typed[1] --complete $typed[2..-1] "$word" 2>/dev/null
end

complete -c armtap -f
# fish puts no blank after / , = or :, so :open needs nothing.
complete -c armtap -a '(__armtap_answers | string match -v ":*")'
# fish's own names of files: one that goes on after a newline would be two of ours.
complete -c armtap -F -n '__armtap_answers | string match -q :files'
