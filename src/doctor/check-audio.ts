import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { Prisma } from '../../prisma/generated/prisma/client.ts'
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

const FILE = { jobId: true, storageKey: true, bytes: true, sha256: true } as const

type File = Prisma.ArtifactGetPayload<{ select: typeof FILE }>

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
      const where = { storageKey: { in: wrong.map(({ key }) => key) }, deletedAt: null }
      const kept = await db.prisma.artifact.findMany({ where, select: { storageKey: true } })
      wrong = wrong.filter(({ key }) => kept.some(({ storageKey }) => storageKey === key))
    }
    return orOk(findingsOf(wrong, files.length), `${files.length} sampled files are as their rows say`)
  },
}

async function sampleOf({ db, settings, now }: Context): Promise<readonly File[]> {
  const { artifactDays, jobDays } = settings.retention
  const cutoffs = [artifactDays, jobDays].flatMap((days) => cutoffOf(now(), days) ?? [])
  const from = firstIdAt('job', new Date(Math.max(0, ...cutoffs.map((cutoff) => cutoff.getTime() + MARGIN_MS))))
  const of = (least: string) => ({ where: { deletedAt: null, jobId: { gte: least } }, select: FILE })
  const newest = await db.prisma.artifact.findMany({ ...of(from), orderBy: { jobId: 'desc' }, take: NEWEST })
  const next = (least: string) => db.prisma.artifact.findFirst({ ...of(least), orderBy: { jobId: 'asc' } })
  const oldest = await next(from)
  if (oldest === null || newest[0] === undefined) return newest
  const [first, last] = [oldest, newest[0]].map(({ jobId }) => idTime(jobId).getTime()) as [number, number]
  const starts = Array.from({ length: RANDOM }, () =>
    firstIdAt('job', new Date(Math.floor(first + Math.random() * (last - first)))),
  )
  const random = await inParallel(starts, AT_ONCE, next)
  const found = [...newest, ...random.filter((file) => file !== null)]
  return [...new Map(found.map((file) => [file.storageKey, file])).values()]
}

async function wrongOf(files: readonly File[], compareOne: (file: File) => Promise<string | null>): Promise<Wrong[]> {
  const found = await inParallel(files, AT_ONCE, async (file) => ({
    key: file.storageKey,
    how: await compareOne(file),
  }))
  return found.flatMap(({ key, how }) => (how === null ? [] : { key, how }))
}

/** null: the store matches the row. */
async function compare(
  storage: Storage,
  { storageKey: key, bytes, sha256 }: File,
  isRead: boolean,
): Promise<string | null> {
  const found = await storage.stat(key)
  if (found === null) return 'is missing'
  if (BigInt(found.bytes) !== bytes) return `has ${found.bytes} bytes in place of ${bytes}`
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
