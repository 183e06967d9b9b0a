import { spawn } from 'node:child_process'
import { freePort } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import { interleaved, type Measure, median, type Pair, type Row } from '../../measure.ts'
import { launch } from '../../process.ts'

const { existingMs: EXISTING_MS, emptyMs: EMPTY_MS } = GOALS.start

/**
 * From the spawn of `sonant start` to the line that says where it listens, with the embedded PostgreSQL stopped before: on a directory
 * that another run left, and on one that does not exist (initdb, migrations, seed). The floor is what node itself takes.
 */
export const start: Row = {
  name: 'start',
  what: 'start to listening',
  reach: `< ${EXISTING_MS} ms on an existing directory, < ${EMPTY_MS} ms on an empty one`,
  run: async (environment) => {
    const existing = `${await environment.directory()}/data`
    const empty = async () => `${await environment.directory()}/data`
    await startOn(existing)
    const rounds = environment.quick ? 3 : 7
    const again = await interleaved(rounds, { ours: () => startOn(existing), floor: bareNode })
    const first = await interleaved(Math.ceil(rounds / 2), {
      ours: async () => startOn(await empty()),
      floor: bareNode,
    })
    const measures = [
      measureOf('existing directory', again, EXISTING_MS),
      measureOf('empty directory', first, EMPTY_MS),
    ]
    return { name: 'start', measures, notes: [] }
  },
}

function measureOf(what: string, pairs: readonly Pair[], limitMs: number): Measure {
  const value = median(pairs.map(({ ours }) => ours))
  return {
    what,
    unit: 'ms',
    floor: median(pairs.map(({ floor }) => floor)),
    value,
    ratio: median(pairs.map(({ ours, floor }) => ours / floor)),
    reach: `< ${limitMs} ms`,
    reached: value < limitMs,
  }
}

async function startOn(dataDir: string): Promise<number> {
  const variables = { DATA_DIR: dataDir, PORT: String(await freePort()), LOG_LEVEL: 'warn' }
  const { readyMs, stop } = await launch(['bin/sonant.js', 'start'], variables, /^Sonant listens/)
  await stop()
  return readyMs
}

function bareNode(): Promise<number> {
  const started = performance.now()
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' })
  return new Promise((resolve) => child.once('exit', () => resolve(performance.now() - started)))
}
