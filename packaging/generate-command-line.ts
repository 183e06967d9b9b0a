import { type Command, Help, type Option } from 'commander'
import { buildProgram } from '../src/cli/run-program.ts'

const HEAD = `<!-- Written by "npm run codegen" from the commands in src/cli. -->

# Command line

In a checkout \`sonant\` is \`npx sonant\`. Run a command in the folder of the checkout, with the service's \`DATABASE_URL\`, \`DATA_DIR\`, \`STORAGE_URL\` and
\`SECRET_KEY\`, whether the service runs or not: without them it opens another database. Every command but \`start\`, \`serve\`, \`work\` and \`completion\`
takes \`--json\` and then prints JSON and nothing else. \`say\` and \`jobs export\` write to standard output with \`-o -\`.

Outside a checkout the package is \`sonant-tts\`: \`npx sonant-tts\`, or \`sonant\` once it is installed. On the npm registry the name \`sonant\` belongs to another
package. For completion, \`alias sonant='npx sonant'\` and \`source <(sonant completion bash)\`, zsh alike; in fish \`sonant completion fish | source\`.
`

const help = new Help()

/** docs/command-line.md: every command with its arguments and options. */
export function generateCommandLine(): string {
  const { commands } = buildProgram()
  const groups = commands.filter((command) => command.commands.length > 0)
  const single = commands.filter((command) => command.commands.length === 0)
  return [HEAD, `\n## Single commands\n\n${table(single)}`, ...groups.map(section)].join('')
}

const section = (group: Command): string =>
  `\n## ${group.name()}\n\n${sentence(group.description())}\n\n${table(group.commands)}`

function table(commands: readonly Command[]): string {
  const rows = commands.map((command) => `| \`${cell(usage(command))}\` | ${explain(command)} |\n`)
  return `| Command | |\n|---|---|\n${rows.join('')}`
}

/** The command with its arguments and with the options that it does not run without. */
function usage(command: Command): string {
  const path = command.parent?.parent == null ? [] : [command.parent.name()]
  const names = command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`))
  const needed = optionsOf(command).filter((option) => option.mandatory)
  return ['sonant', ...path, command.name(), ...names, ...needed.map(({ flags }) => flags.replace(/^-\w, /, ''))].join(
    ' ',
  )
}

/** Its description, then a line for each argument and option that has one of its own. */
function explain(command: Command): string {
  const inputs = command.registeredArguments.flatMap((one) => {
    const text = help.argumentDescription(one)
    return text === '' ? [] : [`\`<${one.name()}>\`: ${prose(text)}`]
  })
  const options = optionsOf(command).map(
    (option) => `\`${cell(option.flags)}\`: ${prose(help.optionDescription(option))}`,
  )
  return [sentence(prose(command.description())), ...inputs, ...options].join('<br>')
}

/** Without --json, which the beginning of the page explains. */
const optionsOf = (command: Command): readonly Option[] => command.options.filter((option) => option.long !== '--json')

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** A bar would begin another cell, inside of code as well. */
const cell = (text: string): string => text.replaceAll('|', '\\|')

/** An angle bracket outside of code would begin an element. */
const prose = (text: string): string => cell(text).replaceAll('<', '&lt;')
