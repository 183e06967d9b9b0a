import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { invalidRequest, ServiceError } from '../errors/service-error.ts'
import { errorCode } from '../values/data-directory.ts'
import type { BackupFile } from './manifest.ts'

function tally() {
  const hash = createHash('sha256')
  let bytes = 0
  const stream = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  return { stream, result: () => ({ bytes, sha256: hash.digest('hex') }) }
}

const FULL: Readonly<Record<string, string>> = {
  ENOSPC: 'the file system is full',
  EDQUOT: "this user's share of the file system is full",
  EFBIG: 'a file of that length is not allowed',
  EROFS: 'the file system is read-only',
}

export class NoRoom extends ServiceError {
  constructor(path: string, code: string) {
    super('UNAVAILABLE', `${path} cannot be written: ${FULL[code]}. The backup was broken off.`)
  }
}

/** Writes and flushes a new file. @throws NoRoom, an error if the file exists */
export async function writeChecked(
  dir: string,
  path: string,
  ...source: [Readable, ...Transform[]]
): Promise<BackupFile> {
  const full = join(dir, path)
  try {
    await mkdir(dirname(full), { recursive: true, mode: 0o700 })
    const handle = await open(full, 'wx', 0o600)
    const counted = tally()
    await pipeline([...source, counted.stream, handle.createWriteStream({ flush: true })])
    return { path, ...counted.result() }
  } catch (error) {
    const code = errorCode(error) ?? ''
    throw code in FULL ? new NoRoom(full, code) : error
  }
}

/** @throws INVALID_REQUEST that names the first damaged file */
export async function verifyFile(dir: string, file: BackupFile): Promise<void> {
  const found = await checksumOf(join(dir, file.path))
  if (found?.sha256 !== file.sha256) throw damaged(dir, file.path, found === null)
}

export async function checksumOf(path: string): Promise<{ bytes: number; sha256: string } | null> {
  const counted = tally()
  try {
    await pipeline(createReadStream(path), counted.stream, async (chunks) => {
      for await (const _chunk of chunks);
    })
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
  return counted.result()
}

export const damaged = (dir: string, path: string, isMissing: boolean) =>
  invalidRequest(
    `The backup in ${dir} is damaged: ${path} ${isMissing ? 'is missing' : 'is not as it was written'}. Use another one; nothing was restored from this one.`,
  )
