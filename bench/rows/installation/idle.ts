import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import { atMost, type Row } from '../../measure.ts'
import { launch, MALLOC, residentMb, type Variables } from '../../process.ts'

/** The engine has warmed up, and the garbage of the start is collected. */
const SETTLE_MS = 60_000
/** With one round of what is done once a minute. */
const WATCHED_MS = 60_000
const { residentMb: LIMIT_MB, processorPercent: LIMIT_PERCENT } = GOALS.idle
const TICKS_PER_SECOND = 100

/** A service that nobody calls, on an empty directory: the process of Node.js without the embedded PostgreSQL. The floor is a node that waits. */
export const idle: Row = {
  name: 'idle',
  what: 'npm start, a minute later, over a minute',
  reach: `<= ${LIMIT_MB} MB, <= ${LIMIT_PERCENT} % of a core`,
  run: async (environment) => {
    const variables: Variables = { ...MALLOC, DATA_DIR: `${await environment.directory()}/data` }
    const service = await launch(
      ['bin/sonant.js', 'start'],
      { ...variables, PORT: String(await freePort()), LOG_LEVEL: 'warn' },
      /^Sonant listens/,
    )
    const bare = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    try {
      await wait(SETTLE_MS)
      const before = processorSeconds(service.pid)
      await wait(WATCHED_MS)
      const percent = (100_000 * (processorSeconds(service.pid) - before)) / WATCHED_MS
      const [memory, floor] = [residentMb(service.pid), residentMb(bare.pid ?? 0)]
      const measures = [
        atMost('resident memory', 'MB', memory, LIMIT_MB, floor),
        atMost('processor', '%', percent, LIMIT_PERCENT),
      ]
      return { name: 'idle', measures, notes: [] }
    } finally {
      bare.kill()
      await service.stop()
    }
  },
}

/** In user and kernel mode together. */
function processorSeconds(pid: number): number {
  // The name of the program, in brackets, may hold spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}
