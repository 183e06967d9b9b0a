import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServerSpec } from '../../../src/worker/server/server-file.ts'
import { until } from '../wait.ts'

const PROGRAM = fileURLToPath(new URL('scripted-server.ts', import.meta.url))
const TIMEOUT_MS = 60_000

export const ILLNESSES = ['unavailable', 'broken', 'stuck', 'mute', 'rude', 'full'] as const
type Illness = (typeof ILLNESSES)[number]

/** One start of the program, as it noted it. */
interface Start {
  readonly pid: number
  readonly port: number
  readonly gpus: string
  readonly secret: string
}

/** The scripted server (scripted-server.ts) with a directory of its own. */
export async function makeServerProgram() {
  const directory = await mkdtemp(join(tmpdir(), 'sonant-server-'))
  const linesOf = (name: string): string[] => {
    const path = join(directory, name)
    return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []
  }
  const starts = (): Start[] =>
    linesOf('starts').map((line) => {
      const [pid, port, gpus = '', secret = ''] = line.split(' ')
      return { pid: Number(pid), port: Number(port), gpus, secret }
    })
  const spec: ServerSpec = {
    command: [process.execPath, PROGRAM, '$PORT', directory],
    env: {},
    gpus: null,
    readyPath: '/health',
    startSeconds: 30,
  }
  return {
    directory,
    spec,
    starts,
    /** Waits for the n-th start. */
    started: async (count: number): Promise<Start> => {
      await until(() => starts().length >= count, TIMEOUT_MS, `start ${count} of the server`)
      return starts()[count - 1] as Start
    },
    leaked: () => linesOf('leaked').map(Number),
    /** `pid requests text` of every request, with how many it had then. */
    asked: () => linesOf('asked'),
    /** Makes it do so, or no longer. */
    set: (behaviour: 'hold' | 'refuse' | 'slow' | 'paced' | 'cured' | Illness, on = true): void => {
      if (on) writeFileSync(join(directory, behaviour), '')
      else rmSync(join(directory, behaviour), { force: true })
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  }
}

export type ServerProgram = Awaited<ReturnType<typeof makeServerProgram>>
