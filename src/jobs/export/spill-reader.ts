import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Quota } from './spill-quota.ts'

const FILE_MODE = 0o600
/** Given out at once at most. */
const GIVEN_BYTES = 131_072
/** Kernel buffers hold megabytes: a slow reader may seem to stand still for minutes. One that does so for an hour is gone. */
const STALLED_AFTER_MS = 3_600_000

/** Bytes as they come. A chunk is the source's own again as soon as the next one is asked for. */
export interface Source extends AsyncIterable<Buffer> {
  destroy(): unknown
}

type Take = (bytes: Buffer | null) => void

/** Gives out a source's bytes at the reader's speed; what the reader does not take at once waits in a file without a name. */
export class SpillReader extends Readable {
  readonly #source: Source
  readonly #quota: Quota
  readonly #filled: Promise<void>
  #file: FileHandle | undefined
  #written = 0
  #read = 0
  #ended = false
  /** What the reader has, until it wants more. */
  readonly #given = Buffer.allocUnsafeSlow(GIVEN_BYTES)
  /** The reader wants more. */
  #want: Take | undefined
  #stalled: NodeJS.Timeout | undefined

  constructor(source: Source, dir: string, quota: Quota) {
    super()
    this.#source = source
    this.#quota = quota
    this.#filled = this.#fill(dir).catch((error: Error) => void this.destroy(error))
  }

  async #fill(dir: string): Promise<void> {
    this.#file = await openNameless(dir)
    for await (const chunk of this.#source) {
      const passed = this.#pass(chunk)
      if (passed < chunk.length) await this.#writeDown(chunk.subarray(passed))
    }
    this.#ended = true
    this.#feed()
  }

  /** Past the file: a reader waits only where nothing else is before it. */
  #pass(chunk: Buffer): number {
    if (this.#want === undefined) return 0
    const passed = chunk.copy(this.#given)
    this.#give(this.#want, passed)
    return passed
  }

  async #writeDown(bytes: Buffer): Promise<void> {
    this.#quota.take(bytes.length)
    await writeAll(this.#file as FileHandle, bytes, this.#written)
    this.#written += bytes.length
    this.#feed()
  }

  /** The next bytes, good until more are asked for; null at the end. */
  #next(): Promise<Buffer | null> {
    return new Promise((resolve) => {
      this.#want = resolve
      this.#feed()
    })
  }

  #feed(): void {
    const take = this.#want
    if (take === undefined || this.destroyed) return
    if (this.#read < this.#written) {
      this.#want = undefined
      this.#readBack(take).catch((error: Error) => this.destroy(error))
    } else if (this.#ended) this.#give(take, 0)
  }

  async #readBack(take: Take): Promise<void> {
    const length = Math.min(GIVEN_BYTES, this.#written - this.#read)
    const { bytesRead } = await (this.#file as FileHandle).read(this.#given, 0, length, this.#read)
    if (this.destroyed) return
    if (bytesRead === 0) throw new Error('a spill file is shorter than what was written')
    this.#read += bytesRead
    this.#give(take, bytesRead)
  }

  #give(take: Take, length: number): void {
    clearTimeout(this.#stalled)
    this.#stalled = setTimeout(() => this.destroy(new Error('the reader has stalled')), STALLED_AFTER_MS).unref()
    this.#want = undefined
    take(length === 0 ? null : this.#given.subarray(0, length))
  }

  /** For those who keep what they get. */
  override _read(): void {
    void this.#next().then((bytes) => this.push(bytes && Buffer.from(bytes)))
  }

  /**
   * Writes the same buffer again and again, each time once the destination is done with it: what is read is the reader's to keep, and so
   * is new memory every time, which V8 gives back tens of megabytes later.
   */
  override pipe<Destination extends NodeJS.WritableStream>(to: Destination, options?: { end?: boolean }): Destination {
    if (options?.end !== false) this.once('end', () => to.end())
    void this.#pour(to)
    return to
  }

  async #pour(to: NodeJS.WritableStream): Promise<void> {
    for (let bytes = await this.#next(); bytes !== null; bytes = await this.#next()) {
      const taken = bytes
      // The owner of a destination that fails destroys this as well.
      await new Promise((resolve) => to.write(taken, resolve))
    }
    this.push(null)
    this.resume()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#stalled)
    this.#want = undefined
    this.#source.destroy()
    this.#filled
      .then(() => this.#file?.close())
      .catch(() => undefined)
      .finally(() => {
        this.#quota.giveBack()
        done(error)
      })
  }
}

async function openNameless(dir: string): Promise<FileHandle> {
  const path = join(dir, randomUUID())
  const file = await open(path, 'wx+', FILE_MODE)
  await unlink(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return
    await file.close()
    throw error
  })
  return file
}

async function writeAll(file: FileHandle, chunk: Buffer, position: number): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    done += (await file.write(chunk, done, chunk.length - done, position + done)).bytesWritten
  }
}
