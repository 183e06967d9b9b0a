import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual, promisify } from 'node:util'
import { openEmbedded } from '../../../src/db/embedded/embedded.ts'
import { openLog } from '../../../src/values/log.ts'
import type { Environment } from '../../environment.ts'
import { GOALS } from '../../goals.ts'
import { quantile, type Row } from '../../measure.ts'
import { environmentOf, ROOT } from '../../process.ts'
import { connected, seedJobs } from '../../seed.ts'
import { filesIn, flushSeeded, keptBy, seedAudio, seedLedger } from '../../seed-audio.ts'
import { submitter } from '../../submitter.ts'

const JOBS = 1_000_000
const QUICK_JOBS = 200_000
/** Number of jobs whose audio still exists. */
const FILES = 20_000
const QUICK_FILES = 4_000
/** A sentence of two thirds of a second, and of four as MP3. */
const BYTES = randomBytes(32_768)
const QUIET_SECONDS = 15
const { p99: MOST } = GOALS.backup

/**
 * Submissions at 40 a second: alone, and while `sonant backup` writes a database of 1,000,000 jobs with their ledger, the artifacts of all
 * completed voice jobs, and the audio of some of them. Then the backup is restored, which compares every checksum, and what came out is
 * counted: a backup that lacks anything is no figure. The floor is the quiet p99.
 */
export const backup: Row = {
  name: 'backup',
  what: 'submissions while 1,000,000 jobs, with ledger, artifacts and 20,000 audio files, are backed up (quick: 200,000 and 4,000)',
  reach: `p99 <= ${MOST} x quiet`,
  run: async (environment) => {
    const seeded = await seed(environment)
    const service = await environment.serve('serve')
    const submit = submitter(service.url, await environment.account('bench beside backup'))
    await submit(async () => wait(1_000))
    const quiet = quantile(await submit(async () => wait(QUIET_SECONDS * 1000)), 0.99)
    const dir = join(await environment.directory(), 'backup')
    const since = performance.now()
    const times = await submit(() => environment.sonant('backup', dir))
    const seconds = (performance.now() - since) / 1000
    await service.stop()
    const restored = await restore(environment, dir)
    const found = await contentOf(restored.url, restored.dataDir, seeded.accountId)
    requireSame(found, seeded.content)
    const beside = quantile(times, 0.99)
    const ratio = beside / quiet
    const reach = `<= ${MOST} x floor`
    const { jobs, artifacts, entries, files } = seeded.content
    return {
      name: 'backup',
      measures: [{ what: 'p99', unit: 'ms', floor: quiet, value: beside, ratio, reach, reached: ratio <= MOST }],
      notes: [
        `${jobs} jobs, ${entries} entries of the ledger, ${artifacts} artifacts, ${files} audio files of ${BYTES.length} B in ${seconds.toFixed(1)} s beside ${times.length} submissions; all restored, with every checksum, in ${restored.seconds.toFixed(1)} s`,
      ],
    }
  },
}

/** The content that a restored backup must have. */
interface Content {
  readonly jobs: number
  readonly artifacts: number
  readonly entries: number
  readonly files: number
  /** The account's credits, which its ledger adds up to. */
  readonly balance: string
}

async function seed(environment: Environment): Promise<{ readonly accountId: string; readonly content: Content }> {
  const { url, accountId } = await environment.database()
  const dataDir = await environment.dataDir()
  await connected(url, async (client) => {
    await seedJobs(client, accountId, environment.quick ? QUICK_JOBS : JOBS)
    await seedLedger(client, accountId)
    await seedAudio(client, accountId, { dataDir, bytes: BYTES, files: environment.quick ? QUICK_FILES : FILES })
    await flushSeeded(client)
  })
  return { accountId, content: await contentOf(url, dataDir, accountId) }
}

const contentOf = (url: string, dataDir: string, accountId: string): Promise<Content> =>
  connected(url, async (client) => {
    const { rows } = await client.query<{ credits: string; sum: string }>(
      `select credits::text, (select sum(amount)::text from credit_entry where account_id = $1) as sum from account where id = $1`,
      [accountId],
    )
    const [account] = rows
    if (account === undefined || account.credits !== account.sum) throw new Error('the ledger is not the balance')
    return { ...(await keptBy(client, accountId)), files: await filesIn(dataDir), balance: account.credits }
  })

interface Restored {
  readonly url: string
  readonly dataDir: string
  readonly seconds: number
}

/** Into a database of its own, which stays open until the row ends. */
async function restore(environment: Environment, dir: string): Promise<Restored> {
  const dataDir = join(await environment.directory(), 'data')
  const options = { cwd: ROOT, env: environmentOf({ DATA_DIR: dataDir, LOG_LEVEL: 'warn' }) }
  const since = performance.now()
  await environment.open(
    () => promisify(execFile)(process.execPath, ['bin/sonant.js', 'restore', dir, '--json'], options),
    async () => undefined,
  )
  const seconds = (performance.now() - since) / 1000
  const { url } = await environment.open(
    () => openEmbedded(dataDir, openLog('warn')),
    (embedded) => embedded.close(),
  )
  return { url, dataDir, seconds }
}

function requireSame(found: Content, seeded: Content): void {
  if (isDeepStrictEqual(found, seeded)) return
  throw new Error(`the backup brought back ${JSON.stringify(found)} instead of ${JSON.stringify(seeded)}`)
}
