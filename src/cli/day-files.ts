import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip, type Gzip } from 'node:zlib'
import { invalidRequest } from '../errors/service-error.ts'
import { errorCode } from '../values/data-directory.ts'

const PART = '.part'

/** A day's file as the state knows it. */
interface KeptFile {
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

export type KeptFiles = Readonly<Record<string, KeptFile>>

export interface DayFile {
  readonly name: string
  readonly kept: KeptFile
}

export const dayFileOf = (feed: string, day: string): string => `${feed}-${day}.ndjson.gz`

/**
 * Ends what a pull began that was killed: parts that the state knows get their names, others go.
 * @throws INVALID_REQUEST if a file of the feed is not as the state knows it
 */
export async function settleDays(directory: string, feed: string, files: KeptFiles): Promise<void> {
  for (const name of await daysIn(directory, feed, PART)) {
    if (await isWhole(join(directory, name + PART), files[name])) await nameDay(directory, name)
  }
  await removeParts(directory, feed)
  await checkDays(directory, feed, files)
}

/** @throws INVALID_REQUEST if a file of the feed is not as the state knows it */
export async function checkDays(directory: string, feed: string, files: KeptFiles): Promise<void> {
  for (const name of await daysIn(directory, feed)) {
    const path = join(directory, name)
    const bytes = await sizeOf(path)
    if (bytes !== null && bytes !== files[name]?.bytes) throw changed(path)
  }
}

export async function removeParts(directory: string, feed: string): Promise<void> {
  for (const name of await daysIn(directory, feed, PART)) await rm(join(directory, name + PART), { force: true })
}

export const nameDay = (directory: string, name: string): Promise<void> =>
  rename(join(directory, name + PART), join(directory, name))

/** Names of days that have a file with this ending. */
async function daysIn(directory: string, feed: string, ending = ''): Promise<string[]> {
  const form = new RegExp(`^${feed}-\\d{4}-\\d\\d-\\d\\d[.]ndjson[.]gz$`)
  const found = (await readdir(directory)).filter((name) => name.endsWith(ending))
  return found.map((name) => name.slice(0, name.length - ending.length)).filter((name) => form.test(name))
}

async function isWhole(path: string, known: KeptFile | undefined): Promise<boolean> {
  if (known === undefined || (await sizeOf(path)) !== known.bytes) return false
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('hex') === known.sha256
}

const changed = (path: string) =>
  invalidRequest(`The file "${path}" is not as this state knows it: put it back, or take it away.`)

interface Member {
  readonly file: FileHandle
  readonly gzip: Gzip
  readonly done: Promise<void>
}

/** Writes a day's file anew: the file as it is, then one more member of gzip, or several if its day comes again. */
export class DayWriter {
  readonly name: string
  readonly #part: string
  readonly #hash = createHash('sha256')
  #member: Member | undefined
  #bytes = 0
  #rows = 0

  /** @throws INVALID_REQUEST if the file is not as the state knows it */
  static async begin(directory: string, name: string, known: KeptFile | undefined): Promise<DayWriter> {
    const path = join(directory, name)
    const writer = new DayWriter(name, path + PART)
    // Files that somebody has loaded and taken away begin anew.
    if (known === undefined || (await sizeOf(path)) === null) return writer
    await writer.#copy(createReadStream(path))
    if (writer.#hash.copy().digest('hex') !== known.sha256) throw changed(path)
    writer.#rows = known.rows
    return writer
  }

  private constructor(name: string, part: string) {
    this.name = name
    this.#part = part
  }

  async #copy(known: Readable): Promise<void> {
    const file = await open(this.#part, 'a')
    try {
      for await (const chunk of known) await this.#append(file, chunk as Buffer)
    } finally {
      await file.close()
    }
  }

  async #append(file: FileHandle, chunk: Buffer): Promise<void> {
    this.#hash.update(chunk)
    this.#bytes += chunk.length
    await file.appendFile(chunk)
  }

  async write(text: string, rows: number): Promise<void> {
    this.#member ??= await this.#beginMember()
    const { gzip, done } = this.#member
    this.#rows += rows
    if (!gzip.write(text)) await Promise.race([once(gzip, 'drain'), done])
  }

  async #beginMember(): Promise<Member> {
    const file = await open(this.#part, 'a')
    const gzip = createGzip()
    const done = pipeline(gzip, async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) await this.#append(file, chunk)
    })
    done.catch(() => undefined)
    return { file, gzip, done }
  }

  async endMember(): Promise<void> {
    const { file, gzip, done } = this.#member as Member
    gzip.end()
    await done
    await file.sync()
    await file.close()
    this.#member = undefined
  }

  async abandon(): Promise<void> {
    this.#member?.gzip.destroy()
    await this.#member?.file.close().catch(() => undefined)
  }

  file(): DayFile {
    const { name } = this
    return { name, kept: { rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.digest('hex') } }
  }
}

/** null if there is no such file. */
const sizeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ size }) => size,
    (error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null
      throw error
    },
  )
