import { spawn } from 'node:child_process'
import { endMarked, MARK_VARIABLE } from './process-marks.ts'

// This process sits between a worker and its server, and ends the server if the worker dies.

export interface Launch {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

export type Launched = { readonly pid: number } | { readonly ended: string }

function launch({ command: [program = '', ...args], env }: Launch): void {
  const child = spawn(program, args, { env: { ...env }, detached: true, stdio: ['ignore', 'inherit', 'inherit'] })
  const mark = env[MARK_VARIABLE] ?? ''
  const end = async (): Promise<never> => {
    await endMarked({ mark, group: child.pid })
    process.exit(0)
  }
  const ended = (how: string): void => {
    if (process.connected) process.send?.({ ended: how } satisfies Launched, () => void end())
    else void end()
  }
  child.once('error', (error: NodeJS.ErrnoException) =>
    ended(`it could not be started (${error.code ?? error.message})`),
  )
  child.once('exit', (code, signal) =>
    ended(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`),
  )
  process.once('disconnect', end)
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, end)
  if (child.pid !== undefined) process.send?.({ pid: child.pid } satisfies Launched)
}

process.once('message', (given) => launch(given as Launch))
