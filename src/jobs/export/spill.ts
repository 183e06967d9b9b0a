import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { Tally } from '../../concurrency/tally.ts'
import { unavailable } from '../../errors/service-error.ts'
import { usingSync } from '../../values/data-directory.ts'

const DIRECTORY_MODE = 0o700
const FILE_MODE = 0o600
const READ_BYTES = 131_072
const STALLED_AFTER_MS = 3_600_000

interface SpillOptions {
  readonly dir: string
  readonly maxBytes: number
  readonly maxBytesPerOwner: number
}

export interface Spill {
  /** Reads a source at its own speed for a slow reader. A reader that leaves destroys the source. */
  through(source: Source, owner: string): Readable
  readonly bytes: number
  close(): Promise<void>
}

interface Source {
  readonly chunks: AsyncIterable<Buffer>
  destroy(): void
}

interface Limits {
  readonly maxBytes: number
  readonly maxBytesPerOwner: number
}

interface Quota {
  /** @throws UNAVAILABLE if the owner's or the shared quota is used up */
  take(bytes: number): void
  release(): void
}

export function openSpill({ dir, ...limits }: SpillOptions): Spill {
  usingSync(dir, () => openEmpty(dir))
  const quota = new SharedQuota(limits)
  const open = new Set<SpillReader>()
  return {
    through: (source, owner) => {
      const reader = new SpillReader(source, dir, quota.of(owner))
      open.add(reader)
      reader.once('close', () => open.delete(reader))
      return reader
    },
    get bytes() {
      return quota.used
    },
    close: async () => {
      const closed = [...open].map((reader) => new Promise((resolve) => reader.once('close', resolve)))
      for (const reader of open) reader.destroy(unavailable('the process is stopping'))
      await Promise.all(closed)
    },
  }
}

function openEmpty(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: DIRECTORY_MODE })
  // A named file remains from a crash, or its process is about to unlink it.
  for (const name of readdirSync(dir)) rmSync(join(dir, name), { force: true, recursive: true })
}

/** Passes a source on at the reader's speed; an unlinked file holds the rest. */
class SpillReader extends Readable {
  readonly #source: Source
  readonly #dir: string
  readonly #quota: Quota
  readonly #filled: Promise<void>
  #file: FileHandle | undefined
  #written = 0
  #read = 0
  #isComplete = false
  #isWanted = false
  #stalled: NodeJS.Timeout | undefined

  constructor(source: Source, dir: string, quota: Quota) {
    super()
    this.#source = source
    this.#dir = dir
    this.#quota = quota
    this.#filled = this.#fill().catch((error: Error) => void this.destroy(error))
  }

  async #fill(): Promise<void> {
    for await (const chunk of this.#source.chunks) {
      if (this.#isWanted && this.#read === this.#written) this.#give(chunk)
      else await this.#write(chunk)
    }
    this.#isComplete = true
    this.#feed()
  }

  async #write(chunk: Buffer): Promise<void> {
    this.#quota.take(chunk.length)
    this.#file ??= await openNameless(this.#dir)
    for (let done = 0; done < chunk.length; ) {
      done += (await this.#file.write(chunk, done, chunk.length - done, this.#written + done)).bytesWritten
    }
    this.#written += chunk.length
    this.#feed()
  }

  override _read(): void {
    this.#isWanted = true
    this.#feed()
  }

  #feed(): void {
    if (!this.#isWanted || this.destroyed) return
    if (this.#read < this.#written) void this.#readBack().catch((error: Error) => this.destroy(error))
    else if (this.#isComplete) this.push(null)
  }

  async #readBack(): Promise<void> {
    this.#isWanted = false
    const bytes = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, this.#written - this.#read))
    const { bytesRead } = await (this.#file as FileHandle).read(bytes, 0, bytes.length, this.#read)
    if (bytesRead === 0) throw new Error('a spill file is shorter than what was written')
    this.#read += bytesRead
    this.#give(bytes.subarray(0, bytesRead))
  }

  #give(bytes: Buffer): void {
    if (this.destroyed) return
    clearTimeout(this.#stalled)
    this.#stalled = setTimeout(() => this.destroy(new Error('the reader has stalled')), STALLED_AFTER_MS).unref()
    this.#isWanted = false
    this.push(bytes)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#stalled)
    this.#source.destroy()
    this.#filled
      .then(() => this.#file?.close())
      .catch(() => undefined)
      .finally(() => {
        this.#quota.release()
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

class SharedQuota {
  readonly #limits: Limits
  readonly #used = new Tally()

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get used(): number {
    return this.#used.total
  }

  of(owner: string): Quota {
    let taken = 0
    return {
      take: (bytes) => {
        taken += bytes
        this.#used.addMany(bytes, owner)
        if (this.#used.of(owner) > this.#limits.maxBytesPerOwner)
          throw unavailable('the spill files of one owner are full')
        if (this.#used.total > this.#limits.maxBytes) throw unavailable('the spill files are full')
      },
      release: () => {
        this.#used.addMany(-taken, owner)
        taken = 0
      },
    }
  }
}
