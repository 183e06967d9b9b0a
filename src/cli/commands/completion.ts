import { Argument, type Command } from 'commander'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** One place on the command line: the words that lead there, and what may follow. */
interface Completion {
  readonly path: readonly string[]
  readonly commands: readonly Command[]
  readonly options: readonly string[]
}

/** `sonant completion bash|zsh|fish`: a script for the shell, of words alone, so that a TAB starts no process. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a completion script: source <(sonant completion bash), or sonant completion fish | source')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell) => {
      const completions = completionsOf(program, [])
      process.stdout.write(shell === 'fish' ? fishScript(completions) : `${PREAMBLES[shell]}${bashScript(completions)}`)
    })
}

const completionsOf = (command: Command, path: readonly string[]): Completion[] => [
  { path, commands: command.commands, options: ['--help', ...command.options.flatMap(({ long }) => long ?? [])] },
  ...command.commands.flatMap((inner) => completionsOf(inner, [...path, inner.name()])),
]

const PREAMBLES = { bash: '', zsh: 'autoload -U +X bashcompinit && bashcompinit\n' } as const

/** What a command takes itself may be anything, so behind its name everything matches; the longest paths come first. */
function bashScript(completions: readonly Completion[]): string {
  const cases = completions.toSorted((one, other) => other.path.length - one.path.length).map(bashCase)
  return `_sonant() {
  local path='' word words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) path="$path $word" ;; esac
  done
  case "\${path# }" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _sonant sonant
`
}

function bashCase({ path, commands, options }: Completion): string {
  const words = [...commands.map((command) => command.name()), ...options].join(' ')
  const pattern = commands.length > 0 ? `'${path.join(' ')}'` : `'${path.join(' ')}'*`
  return `    ${pattern}) words='${words}' ;;`
}

const fishScript = (completions: readonly Completion[]): string => `${completions.flatMap(fishLines).join('\n')}\n`

function fishLines({ path, commands, options }: Completion): string[] {
  const names = commands.map((command) => command.name())
  const reached = path.map((name) => `__fish_seen_subcommand_from ${name}`)
  const open = names.length > 0 ? [`not __fish_seen_subcommand_from ${names.join(' ')}`] : []
  const condition = `complete -c sonant -n '${[...reached, ...open].join('; and ') || 'true'}'`
  return [
    ...names.map((name) => `${condition} -f -a ${name}`),
    ...options.map((option) => `${condition} -l ${option.replace(/^--/, '')}`),
  ]
}
