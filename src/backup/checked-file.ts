import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { invalidRequest } from '../errors/service-error.ts'
import { errorCode } from '../values/data-directory.ts'
import type { BackupFile } from './manifest.ts'

/** Passes everything on, and knows the SHA-256 and the length of what has passed. */
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

/** Writes a file of a backup, flushed to the disk. @throws where it is there already */
export async function writeChecked(
  dir: string,
  path: string,
  ...source: [Readable, ...Transform[]]
): Promise<BackupFile> {
  const full = join(dir, path)
  await mkdir(dirname(full), { recursive: true, mode: 0o700 })
  const handle = await open(full, 'wx', 0o600)
  const counted = tally()
  await pipeline([...source, counted.stream, handle.createWriteStream({ flush: true })])
  return { path, ...counted.result() }
}

/** @throws ServiceError INVALID_REQUEST that names the first file that is not as it was written */
export async function verifyFile(dir: string, file: BackupFile): Promise<void> {
  const found = await checksumOf(join(dir, file.path))
  if (found?.sha256 !== file.sha256) throw damaged(dir, file.path, found === null)
}

/** Null where there is no such file. */
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
