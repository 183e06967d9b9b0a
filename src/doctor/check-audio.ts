import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { inParallel } from '../concurrency/in-parallel.ts'
import type { Context } from '../context/context.ts'
import { cutoffOf } from '../jobs/retention/drop-old-jobs.ts'
import type { Storage } from '../storage/storage.ts'
import { firstIdAt, idTime } from '../values/id.ts'
import { type Check, error, orOk } from './finding.ts'

const NEWEST = 20
const RANDOM = 20
const READ = 5
const SMALL_BYTES = 1_048_576
const AT_ONCE = 8
const NAMED = 5
/** Leaves out files near their deletion, whose bytes go before their rows. */
const MARGIN_MS = 3_600_000
/** The longest time between the deletion of a job's bytes and its row. */
const DELETION_MS = 2_000

const COLUMNS = 'job_id, storage_key as key, bytes::float8 as bytes, sha256'
const KEPT = 'deleted_at is null and job_id >= $1'
const NEWEST_FILES = `select ${COLUMNS} from artifact where ${KEPT} order by job_id desc limit ${NEWEST}`
const ENDS = `select min(job_id) as oldest, max(job_id) as newest from artifact where ${KEPT}`
const RANDOM_FILES = `
  select distinct on (key) one.* from unnest($2::text[]) as start,
    lateral (select ${COLUMNS} from artifact where ${KEPT} and job_id >= start order by job_id limit 1) one`
const STILL_THERE = 'select storage_key as key from artifact where storage_key = any($1) and deleted_at is null'

interface File {
  readonly key: string
  readonly bytes: number
  readonly sha256: Uint8Array
}

interface Wrong {
  readonly key: string
  readonly how: string
}

export const audioCheck: Check<Context> = {
  check: 'audio',
  needsSchema: true,
  run: async (ctx) => {
    const { storage, db } = ctx
    const isThere = await storage.probe().then(
      () => true,
      () => false,
    )
    // The storage check reports why the store is away.
    if (!isThere) return []
    const files = await sampleOf(ctx)
    const small = new Set(files.filter(({ bytes }) => bytes <= SMALL_BYTES).slice(0, READ))
    let wrong = await wrongOf(files, (file) => compare(storage, file, small.has(file)))
    if (wrong.length > 0) {
      await pause(DELETION_MS)
      const { rows } = await db.pool.query<File>(STILL_THERE, [wrong.map(({ key }) => key)])
      wrong = wrong.filter((one) => rows.some(({ key }) => key === one.key))
    }
    return orOk(findingsOf(wrong, files.length), `${files.length} sampled files are as their rows say`)
  },
}

async function sampleOf({ db, settings, now }: Context): Promise<readonly File[]> {
  const { artifactDays, jobDays, archiveDays } = settings.retention
  const cutoffs = [artifactDays, jobDays, archiveDays].flatMap((days) => cutoffOf(now(), days) ?? [])
  const from = firstIdAt('job', new Date(Math.max(0, ...cutoffs.map((cutoff) => cutoff.getTime() + MARGIN_MS))))
  const newest = await db.readPool.query<File>(NEWEST_FILES, [from])
  const ends = (await db.readPool.query<Record<'oldest' | 'newest', string | null>>(ENDS, [from])).rows[0]
  if (!ends?.oldest || !ends.newest) return newest.rows
  const [first, last] = [idTime(ends.oldest).getTime(), idTime(ends.newest).getTime()]
  const starts = Array.from({ length: RANDOM }, () =>
    firstIdAt('job', new Date(Math.floor(first + Math.random() * (last - first)))),
  )
  const random = await db.readPool.query<File>(RANDOM_FILES, [from, starts])
  return [...new Map([...newest.rows, ...random.rows].map((file) => [file.key, file])).values()]
}

async function wrongOf(files: readonly File[], compareOne: (file: File) => Promise<string | null>): Promise<Wrong[]> {
  const found = await inParallel(files, AT_ONCE, async (file) => ({ key: file.key, how: await compareOne(file) }))
  return found.flatMap(({ key, how }) => (how === null ? [] : { key, how }))
}

/** null: the store matches the row. */
async function compare(storage: Storage, { key, bytes, sha256 }: File, isRead: boolean): Promise<string | null> {
  const found = await storage.stat(key)
  if (found === null) return 'is missing'
  if (found.bytes !== bytes) return `has ${found.bytes} bytes in place of ${bytes}`
  if (!isRead) return null
  const hash = createHash('sha256')
  await pipeline(await storage.read(key), hash)
  return hash.digest().equals(sha256) ? null : 'has another checksum than its row'
}

function findingsOf(wrong: readonly Wrong[], of: number) {
  if (wrong.length === 0) return []
  const named = wrong.slice(0, NAMED).map(({ key, how }) => `${key} ${how}`)
  const more = wrong.length > NAMED ? `, and ${wrong.length - NAMED} more` : ''
  const remedy = 'let STORAGE_URL or DATA_DIR name the store of this database, or restore the files from a backup'
  return [error(`${wrong.length} of ${of} sampled files: ${named.join(', ')}${more}`, remedy)]
}
