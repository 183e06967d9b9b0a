import { createHash, randomBytes } from 'node:crypto'
import { PassThrough, type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { type ClientBase, escapeLiteral } from 'pg'
import type { Parts } from '../../context/context.ts'
import { Snapshot } from '../../db/snapshot.ts'
import { errorCode } from '../../values/data-directory.ts'
import { firstIdAt, idTime } from '../../values/id.ts'
import { CsvLines } from '../export/export-csv.ts'
import { CSV_HEAD, copyJobs } from '../export/export-jobs.ts'
import { cutoffOf, ERASABLE, eraseNamed, inPages, PAGE_ROWS } from '../retention/drop-old-jobs.ts'

/** As many as an export may hold. */
const MOST_JOBS = 500_000
const [QUOTE, COMMA, LF] = [0x22, 0x2c, 0x0a]
const CONTENT_TYPE = 'application/gzip'
const IN_UTC = `set local timezone = 'UTC'`

const OLDEST = `
  select id, account_id as "accountId" from job j where id > $1 and id < $2 and account_id <> all($3) and ${ERASABLE} order by id limit 1`
const ALONE = `select pg_try_advisory_lock(hashtextextended('sonant archive', 0)) as alone`

type ArchiveParts = Pick<Parts, 'db' | 'storage' | 'settings' | 'now' | 'notifier' | 'log'>

interface OldJob {
  readonly id: string
  readonly accountId: string
}

interface Month {
  readonly accountId: string
  /** `2026-01`, in UTC. */
  readonly month: string
}

export interface ArchivePart extends Month {
  readonly part: number
  readonly storageKey: string
  readonly jobs: number
  readonly bytes: bigint
  readonly sha256: Uint8Array | null
  readonly storedAt: Date | null
  readonly droppedAt: Date | null
}

/**
 * Moves jobs of whole months older than JOB_ARCHIVE_DAYS to files. A file is read back before its jobs are deleted, and the jobs that it names
 * are deleted, no others, so a crash at any moment neither loses nor repeats one. One process at a time does it.
 */
export async function archiveJobs(parts: ArchiveParts, mostJobs = MOST_JOBS): Promise<void> {
  const cutoff = cutoffOf(parts.now(), parts.settings.retention.archiveDays)
  if (cutoff === null) return
  const before = firstIdAt('job', startOf(monthOf(cutoff)))
  if ((await oldestJob(parts, { after: '', before })) === undefined) return
  const client = await parts.db.watched.connect({ application_name: 'sonant' })
  try {
    if (await isAlone(client)) await archiveBefore(parts, before, mostJobs)
  } finally {
    await client.end()
  }
}

async function archiveBefore(parts: ArchiveParts, before: string, mostJobs: number): Promise<void> {
  let after = ''
  const damaged = new Map<string, DamagedArchive>()
  await inPages(async () => {
    const oldest = await oldestJob(parts, { after, before, except: [...damaged.keys()] })
    if (oldest === undefined) return false
    const month = { accountId: oldest.accountId, month: monthOf(idTime(oldest.id)) }
    const part = await storedPart(parts, month, mostJobs)
    try {
      await dropJobs(parts, part)
    } catch (error) {
      // The other accounts go on.
      if (!(error instanceof DamagedArchive)) throw error
      damaged.set(oldest.accountId, error)
    }
    after = oldest.id
    return true
  })
  for (const error of damaged.values()) throw error
}

interface Range {
  readonly after: string
  readonly before: string
  readonly except?: readonly string[]
}

async function oldestJob({ db }: ArchiveParts, { after, before, except = [] }: Range): Promise<OldJob | undefined> {
  return (await db.pool.query<OldJob>(OLDEST, [after, before, except])).rows[0]
}

async function isAlone(client: ClientBase): Promise<boolean> {
  return (await client.query<{ alone: boolean }>(ALONE)).rows[0]?.alone === true
}

const monthOf = (time: Date): string => time.toISOString().slice(0, 7)
const startOf = (month: string): Date => new Date(`${month}-01T00:00:00Z`)

function endOf(month: string): Date {
  const start = startOf(month)
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1))
}

/** Returns the month's part whose jobs are not all deleted yet; writes one if there is none. */
async function storedPart(parts: ArchiveParts, where: Month, mostJobs: number): Promise<ArchivePart> {
  const { jobArchive } = parts.db.prisma
  const newest = await jobArchive.findFirst({ where: { ...where }, orderBy: { part: 'desc' } })
  if (newest?.storedAt && newest.droppedAt === null) return newest
  if (newest?.storedAt === null) await forgetUnstored(parts, newest)
  const part = newest === null ? 1 : newest.storedAt === null ? newest.part : newest.part + 1
  const storageKey = `archive/${where.accountId}/${where.month}-${part}-${randomBytes(4).toString('hex')}.csv.gz`
  await jobArchive.create({ data: { ...where, part, storageKey } })
  const written = await writeFile(parts, where, storageKey, mostJobs)
  const unstored = { ...where, part, storageKey, storedAt: null }
  const { count } = await jobArchive.updateMany({ where: unstored, data: { ...written, storedAt: parts.now() } })
  if (count !== 1) {
    // This process lost its lock, and the next one has forgotten this file.
    await parts.storage.delete(storageKey)
    throw new Error(`another process archives ${where.month} of ${where.accountId}`)
  }
  return jobArchive.findUniqueOrThrow({ where: { accountId_month_part: { ...where, part } } })
}

/** A crash may have left a file. It goes first, so that after another crash the row still names it. */
async function forgetUnstored({ db, storage }: ArchiveParts, { storageKey }: ArchivePart): Promise<void> {
  await storage.delete(storageKey)
  await db.prisma.jobArchive.deleteMany({ where: { storageKey, storedAt: null } })
}

async function writeFile({ db, storage }: ArchiveParts, { accountId, month }: Month, key: string, mostJobs: number) {
  const snapshot = await Snapshot.open(db)
  try {
    await snapshot.query(IN_UTC)
    const copy = snapshot.copy(copyOf(accountId, month, mostJobs))
    const lines = new CsvLines()
    const toLines = new Transform({ transform: (bytes, _encoding, done) => done(null, lines.convert(bytes)) })
    const file = new PassThrough()
    toLines.push(Buffer.from(CSV_HEAD))
    // A slow store may take longer than PostgreSQL lets a transaction wait.
    const written = pipeline(copy, toLines, createGzip(), file).then(() => snapshot.commit())
    const [stored] = await Promise.all([storage.put(key, file, { contentType: CONTENT_TYPE }), written])
    if (copy.rowCount !== lines.rows) throw new Error(`a file of ${copy.rowCount} jobs ended after ${lines.rows}`)
    return { jobs: lines.rows, bytes: BigInt(stored.bytes), sha256: Buffer.from(stored.sha256) }
  } finally {
    snapshot.close()
  }
}

/** COPY takes no parameters. */
const copyOf = (accountId: string, month: string, mostJobs: number): string =>
  copyJobs(`select * from job j where account_id = ${escapeLiteral(accountId)} and id >= ${escapeLiteral(firstIdAt('job', startOf(month)))}
    and id < ${escapeLiteral(firstIdAt('job', endOf(month)))} and ${ERASABLE} order by id limit ${mostJobs}`)

/** Deletes the jobs that a file names, page by page. */
async function dropJobs(parts: ArchiveParts, file: ArchivePart): Promise<void> {
  const { accountId, month, part, storageKey } = file
  await verify(parts, file)
  const ids = idsIn(await parts.storage.read(storageKey))
  let left = 0
  for (let page = await take(ids); page.length > 0; page = await take(ids)) {
    await eraseNamed(parts, page)
    left += await parts.db.prisma.job.count({ where: { id: { in: page } } })
  }
  // Jobs with a webhook that was sent again stay; the next run takes them.
  if (left > 0) return
  const where = { accountId_month_part: { accountId, month, part } }
  await parts.db.prisma.jobArchive.update({ where, data: { droppedAt: parts.now() } })
  parts.log.info({ accountId, month, part, jobs: file.jobs }, 'jobs were archived')
}

class DamagedArchive extends Error {}

/** @throws DamagedArchive if the store does not hold what was written */
async function verify({ storage }: ArchiveParts, { storageKey, sha256, jobs }: ArchivePart): Promise<void> {
  if ((await storage.stat(storageKey)) === null)
    throw new DamagedArchive(`the archive ${storageKey} is gone: its jobs stay in the database`)
  const hash = createHash('sha256')
  const hashed = new Transform({
    transform: (bytes, _encoding, done) => {
      hash.update(bytes)
      done(null, bytes)
    },
  })
  let found = 0
  pipeline(await storage.read(storageKey), hashed).catch((error: Error) => hashed.destroy(error))
  try {
    for await (const _id of idsIn(hashed)) found++
  } catch (error) {
    // The errors of zlib, which do not name the file.
    if (!errorCode(error)?.startsWith('Z_')) throw error
    found = -1
  }
  const isWhole = sha256 !== null && hash.digest().equals(sha256) && found === jobs
  if (!isWhole)
    throw new DamagedArchive(`the archive ${storageKey} is not what was written: its jobs stay in the database`)
}

/** Unpacks a file as PostgreSQL's CSV. */
export function unpacked(file: Readable): Readable {
  const csv = createGunzip()
  pipeline(file, csv).catch((error: Error) => csv.destroy(error))
  return csv
}

/** The first cell of each row but the head. */
async function* idsIn(file: Readable): AsyncGenerator<string, undefined> {
  let [isQuoted, isFirst, isHead, cell] = [false, true, true, '']
  for await (const bytes of unpacked(file)) {
    for (const byte of bytes as Buffer) {
      if (byte === QUOTE) isQuoted = !isQuoted
      if (byte === LF && !isQuoted) {
        if (!isHead) yield cell
        ;[isHead, isFirst, cell] = [false, true, '']
      } else if (byte === COMMA) isFirst = false
      else if (isFirst) cell += String.fromCharCode(byte)
    }
  }
}

async function take(ids: AsyncGenerator<string>): Promise<string[]> {
  const page: string[] = []
  while (page.length < PAGE_ROWS) {
    const next = await ids.next()
    if (next.done) break
    page.push(next.value)
  }
  return page
}
