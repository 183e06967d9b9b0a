import { fileURLToPath } from 'node:url'
import { spawn } from '@lydell/node-pty'
import { until } from '../wait.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const DEADLINE_MS = 90_000
/** Wide enough that no line is broken. */
const SIZE = { cols: 1000, rows: 50 } as const
const CTRL_C = '\x03'

/** Runs the command line in a pseudo-terminal: standard output and standard error are one stream of what a user sees. */
export const startInTerminal = (args: readonly string[], env: Readonly<Record<string, string>>) => {
  const { PATH, HOME, TMPDIR } = process.env
  // Unlike Node.js, the pseudo-terminal passes an absent value on as the word "undefined".
  const given = { PATH, HOME, ...(TMPDIR !== undefined && { TMPDIR }), HOST: '127.0.0.1', TERM: 'xterm', ...env }
  const terminal = spawn(process.execPath, ['bin/sonant.js', ...args], { ...SIZE, cwd: ROOT, env: given })
  let written = ''
  let exitCode: number | undefined
  terminal.onData((data) => (written += data))
  const shown = () => written.replaceAll('\r\n', '\n')
  terminal.onExit((exit) => {
    exitCode = exit.exitCode
  })
  return {
    shown,
    shows: (what: RegExp) =>
      until(
        () => {
          if (exitCode !== undefined) throw new Error(`the command ended: ${written}`)
          return what.test(shown())
        },
        DEADLINE_MS,
        `${what} on the terminal`,
      ),
    pressCtrlC: () => terminal.write(CTRL_C),
    ended: async () => {
      await until(() => exitCode !== undefined, DEADLINE_MS, 'the command to end')
      return exitCode
    },
    kill: () => terminal.kill('SIGKILL'),
  }
}
