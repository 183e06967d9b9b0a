import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { usingSync } from '../data-directory.ts'
import { unavailable } from '../errors.ts'

const DIRECTORY_MODE = 0o700
const FILE_MODE = 0o600
const READ_BYTES = 65_536
/** Kernel buffers hold megabytes: a slow reader may seem to stand still for minutes. One that does so for an hour is gone. */
const STALLED_AFTER_MS = 3_600_000

interface SpillOptions {
  /** Holds the files; made when missing, emptied of what a crash has left. */
  readonly dir: string
  /** How much all files together may hold; what goes beyond breaks the stream that asks for it. */
  readonly maxBytes: number
}

/** Stands between a source that must not wait and readers that may be slow. */
export interface Spill {
  /**
   * Reads the source at its own speed and gives it out at the reader's. What the reader does not take at once waits in a file. An error
   * of the source is the reader's at once; a reader that goes away destroys the source.
   */
  through(source: Readable): Readable
  /** Bytes on disk now. */
  readonly bytes: number
  /** Breaks every stream that is still being read. */
  close(): Promise<void>
}

interface Budget {
  readonly dir: string
  readonly maxBytes: number
  used: number
  readonly open: Set<SpillReader>
}

export function openSpill({ dir, maxBytes }: SpillOptions): Spill {
  usingSync(dir, () => openEmpty(dir))
  const budget: Budget = { dir, maxBytes, used: 0, open: new Set() }
  return {
    through: (source) => new SpillReader(source, budget),
    get bytes() {
      return budget.used
    },
    close: async () => {
      const closed = [...budget.open].map((reader) => new Promise((resolve) => reader.once('close', resolve)))
      for (const reader of budget.open) reader.destroy(unavailable('the process is stopping'))
      await Promise.all(closed)
    },
  }
}

function openEmpty(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: DIRECTORY_MODE })
  // A file is nameless from its first moment on, so the system takes it back whatever ends this process. What has a name here comes
  // from a crash within that moment; of other processes that start now it would be nothing that they need a name for.
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { force: true, recursive: true })
}

class SpillReader extends Readable {
  readonly #source: Readable
  readonly #budget: Budget
  readonly #filled: Promise<void>
  #file: FileHandle | undefined
  /** Of the budget: ahead of what is written. */
  #counted = 0
  #written = 0
  #read = 0
  #ended = false
  /** The reader wants more than there is. */
  #hungry = false
  #stalled: NodeJS.Timeout | undefined

  constructor(source: Readable, budget: Budget) {
    super({ highWaterMark: READ_BYTES })
    this.#source = source
    this.#budget = budget
    budget.open.add(this)
    this.#filled = this.#fill().catch((error: Error) => void this.destroy(error))
  }

  async #fill(): Promise<void> {
    this.#file = await openNameless(this.#budget.dir)
    for await (const chunk of this.#source as AsyncIterable<Buffer>) {
      if (this.#hungry && this.#read === this.#written) {
        this.#hungry = false
        this.#pass(chunk)
        continue
      }
      this.#budget.used += chunk.length
      this.#counted += chunk.length
      if (this.#budget.used > this.#budget.maxBytes) throw unavailable('the spill files are full')
      await writeAll(this.#file, chunk, this.#written)
      this.#written += chunk.length
      this.#feed()
    }
    this.#ended = true
    this.#feed()
  }

  override _read(): void {
    this.#hungry = true
    this.#feed()
  }

  #feed(): void {
    if (!this.#hungry || this.destroyed) return
    if (this.#read < this.#written) {
      this.#hungry = false
      this.#give().catch((error: Error) => this.destroy(error))
    } else if (this.#ended) {
      this.push(null)
    }
  }

  async #give(): Promise<void> {
    const length = Math.min(READ_BYTES, this.#written - this.#read)
    const { bytesRead, buffer } = await (this.#file as FileHandle).read(
      Buffer.allocUnsafe(length),
      0,
      length,
      this.#read,
    )
    if (this.destroyed) return
    if (bytesRead === 0) throw new Error('a spill file is shorter than what was written')
    this.#read += bytesRead
    this.#pass(buffer.subarray(0, bytesRead))
  }

  #pass(chunk: Buffer): void {
    clearTimeout(this.#stalled)
    this.#stalled = setTimeout(() => this.destroy(new Error('nobody reads')), STALLED_AFTER_MS).unref()
    this.push(chunk)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#stalled)
    this.#source.destroy()
    this.#filled
      .then(() => this.#file?.close())
      .catch(() => undefined)
      .finally(() => {
        this.#budget.used -= this.#counted
        this.#budget.open.delete(this)
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
