import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline, Transform } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { z } from 'zod'
import type { Database } from '../db/database.ts'
import type { Snapshot } from '../db/snapshot.ts'
import { ServiceError } from '../errors/service-error.ts'
import { isVoiceKey } from '../library/account-voices.ts'
import { isStorageKey } from '../storage/sign-url.ts'
import type { Storage } from '../storage/storage.ts'
import { checksumOf, damaged, NoRoom, writeChecked } from './checked-file.ts'
import type { BackupFile, Manifest } from './manifest.ts'

const FOLDER = 'artifacts'
const LIST = 'artifacts.ndjson.gz'
const AT_ONCE = 8
const MOST_MISSING = 1_000

const line = z.object({
  key: z.string().refine(isStorageKey),
  contentType: z.string(),
  bytes: z.number().int(),
  sha256: z.string(),
})
type Kept = z.output<typeof line>

const ARTIFACTS = `
  select storage_key, content_type, bytes, sha256 from artifact a where to_jsonb(a) ->> 'deleted_at' is null`
const VOICES = `select storage_key, 'audio/wav', bytes, sha256 from account_voice where ready_at is not null`
const ARCHIVE = `select storage_key, 'application/gzip', bytes, sha256 from job_archive where stored_at is not null`
/** Older schemas lack these tables. */
const HAS = `select to_regclass('account_voice') is not null as voices, to_regclass('job_archive') is not null as archive`
const LONGEST_WAIT_MS = 60_000
const PAUSE_MS = 500

/** Older schemas lack `deleted_at`. */
const ARTIFACT_KEYS = `
  select storage_key as key from artifact a where storage_key = any($1) and to_jsonb(a) ->> 'deleted_at' is null`
const VOICE_KEYS = 'select storage_key as key from account_voice where storage_key = any($1) and ready_at is not null'
const ARCHIVE_KEYS = 'select storage_key as key from job_archive where storage_key = any($1)'
const TURN_MS = 5
const SHARE = 1 / 3
const LONGEST_PAUSE_MS = 100

type Asked = Pick<Database, 'pool'>

/** One JSON document per line: JSON contains neither the quote nor the delimiter, so CSV escapes nothing. */
const copyOf = (files: string): string => `copy (
  select json_build_object('key', storage_key, 'contentType', content_type, 'bytes', bytes, 'sha256', encode(sha256, 'hex'))
  from (${files}) as f order by storage_key
) to stdout with (format csv, quote e'\\x01', delimiter e'\\x02')`

export async function listArtifacts(snapshot: Snapshot, dir: string): Promise<BackupFile> {
  const [has] = await snapshot.query<{ voices: boolean; archive: boolean }>(HAS)
  const files = [ARTIFACTS, ...(has?.voices ? [VOICES] : []), ...(has?.archive ? [ARCHIVE] : [])]
  return writeChecked(dir, LIST, snapshot.copy(copyOf(files.join(' union all '))), paced(), createGzip())
}

const isArchiveKey = (key: string): boolean => key.startsWith('archive/')

interface Parts {
  readonly db: Pick<Database, 'pool'>
  readonly storage: Storage
  readonly longestWaitMs?: number
}

/**
 * Copies and verifies every listed file.
 * @throws UNAVAILABLE if a file is missing or differs
 */
export async function keepArtifacts(parts: Parts, dir: string, list: BackupFile): Promise<Manifest['artifacts']> {
  const sums = { files: 0, bytes: 0, gone: [] as string[] }
  let missing: string[] = []
  let since = 0
  const settle = async () => {
    const keys = missing
    missing = []
    await untilDeleted(parts.db, keys, parts.longestWaitMs)
    sums.gone.push(...keys)
  }
  const rest = openTurns()
  await eachListed(dir, rest, async (artifact) => {
    const fate = await keepOne(parts, dir, artifact)
    if (fate === 'gone') sums.gone.push(artifact.key)
    if (fate === 'missing' && missing.push(artifact.key) === 1) since = performance.now()
    const isLate = missing.length > 0 && performance.now() - since > (parts.longestWaitMs ?? LONGEST_WAIT_MS)
    if (isLate || missing.length >= MOST_MISSING) await settle()
    if (fate !== 'kept') return
    sums.files += 1
    sums.bytes += artifact.bytes
  })
  await settle()
  return { ...sums, list }
}

/** `missing`: the database still counts a lost file as present; retention may be noting its deletion. */
type Fate = 'kept' | 'gone' | 'missing'

async function keepOne({ db, storage }: Parts, dir: string, { key, sha256 }: Kept): Promise<Fate> {
  const found = await storage
    .read(key)
    .then((content) => writeChecked(dir, `${FOLDER}/${key}`, content))
    .catch((error: Error) => error)
  if (found instanceof NoRoom) throw found
  if (!(found instanceof Error) && found.sha256 === sha256) return 'kept'
  const isThere = (await keysInUse(db, [key])).length > 0
  const isMissing = found instanceof Error && (await storage.stat(key).catch(() => undefined)) === null
  if (isThere && !isMissing) throw unreadable(key, found)
  await rm(join(dir, FOLDER, key), { force: true })
  return isThere ? 'missing' : 'gone'
}

function unreadable(key: string, found: Error | BackupFile): ServiceError {
  const why =
    found instanceof Error ? `cannot be read: ${found.message}` : 'is not what was stored: its checksum differs'
  return new ServiceError('UNAVAILABLE', `The audio ${key} ${why}. The backup was broken off.`)
}

/** @throws INVALID_REQUEST that names a damaged file */
export async function verifyArtifacts(dir: string, { gone }: Manifest['artifacts']): Promise<void> {
  await eachListed(dir, noRest, async ({ key, sha256 }) => {
    if (gone.includes(key)) return
    const found = await checksumOf(join(dir, FOLDER, key))
    if (found?.sha256 !== sha256) throw damaged(dir, `${FOLDER}/${key}`, found === null)
  })
}

export async function restoreArtifacts(storage: Storage, dir: string, { gone }: Manifest['artifacts']): Promise<void> {
  await eachListed(dir, noRest, async ({ key, contentType, sha256 }) => {
    if (gone.includes(key)) return
    const stored = await storage.put(key, createReadStream(join(dir, FOLDER, key)), { contentType })
    if (Buffer.from(stored.sha256).toString('hex') !== sha256) throw damaged(dir, `${FOLDER}/${key}`, false)
  })
}

const noRest = async (): Promise<void> => undefined

async function eachListed(
  dir: string,
  rest: () => Promise<void>,
  work: (artifact: Kept) => Promise<void>,
): Promise<void> {
  const input = createGunzip()
  pipeline(createReadStream(join(dir, LIST)), input, () => undefined)
  let together: Kept[] = []
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    together.push(line.parse(JSON.parse(text)))
    if (together.length < AT_ONCE) continue
    await Promise.all(together.map(work))
    await rest()
    together = []
  }
  await Promise.all(together.map(work))
}

async function keysInUse({ pool }: Asked, keys: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const [files, some] of [
    [ARTIFACT_KEYS, keys.filter((key) => !isVoiceKey(key) && !isArchiveKey(key))],
    [VOICE_KEYS, keys.filter(isVoiceKey)],
    [ARCHIVE_KEYS, keys.filter(isArchiveKey)],
  ] as const) {
    if (some.length > 0) found.push(...(await pool.query<{ key: string }>(files, [some])).rows.map(({ key }) => key))
  }
  return found
}

/**
 * Waits until the database counts the keys as deleted.
 * @throws UNAVAILABLE after `longestWaitMs`
 */
async function untilDeleted(db: Asked, keys: readonly string[], longestWaitMs = LONGEST_WAIT_MS): Promise<void> {
  const giveUpAt = performance.now() + longestWaitMs
  for (let left = await keysInUse(db, keys); left.length > 0; left = await keysInUse(db, left)) {
    if (performance.now() >= giveUpAt) throw missing(left)
    await pause(PAUSE_MS)
  }
}

function missing([key, ...others]: readonly string[]): ServiceError {
  const files = others.length === 0 ? `The audio ${key} is` : `The audio ${key} and ${others.length} more files are`
  return new ServiceError(
    'UNAVAILABLE',
    `${files} not in the store, and nothing has deleted it by the database. The backup was broken off.`,
  )
}

const pauseAfter = (workedMs: number): number => Math.min((workedMs * (1 - SHARE)) / SHARE, LONGEST_PAUSE_MS)

/** Passes data through for a third of the time, so that submissions find processor and disk free. */
export function paced(): Transform {
  let since = performance.now()
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      const worked = performance.now() - since
      if (worked < TURN_MS) return done(null, chunk)
      setTimeout(() => {
        since = performance.now()
        done(null, chunk)
      }, pauseAfter(worked))
    },
  })
}

export function openTurns(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    const worked = performance.now() - since
    if (worked < TURN_MS) return
    await new Promise((resolve) => setTimeout(resolve, pauseAfter(worked)))
    since = performance.now()
  }
}
