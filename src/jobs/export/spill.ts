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
const SEGMENT_BYTES = 16 * 2 ** 20
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
  giveBack(bytes: number): void
  /** Gives back all that is left. */
  release(): void
}

/** A file that ends once it was written full and read. */
interface Segment {
  readonly file: FileHandle
  written: number
  read: number
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

/** Passes a source on at the reader's speed; unlinked files hold the rest. */
class SpillReader extends Readable {
  readonly #source: Source
  readonly #dir: string
  readonly #quota: Quota
  readonly #filled: Promise<void>
  readonly #segments: Segment[] = []
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
    const segment = await this.#segmentToWrite()
    for (let done = 0; done < chunk.length; ) {
      done += (await segment.file.write(chunk, done, chunk.length - done, segment.written + done)).bytesWritten
    }
    segment.written += chunk.length
    this.#written += chunk.length
    this.#feed()
  }

  async #segmentToWrite(): Promise<Segment> {
    const last = this.#segments.at(-1)
    if (last !== undefined && last.written < SEGMENT_BYTES) return last
    const segment = { file: await openNameless(this.#dir), written: 0, read: 0 }
    this.#segments.push(segment)
    return segment
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
    const segment = this.#segments[0]!
    const bytes = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, segment.written - segment.read))
    const { bytesRead } = await segment.file.read(bytes, 0, bytes.length, segment.read)
    if (bytesRead === 0) throw new Error('a spill file is shorter than what was written')
    segment.read += bytesRead
    this.#read += bytesRead
    if (segment.read === segment.written && segment.written >= SEGMENT_BYTES) await this.#endSegment()
    this.#give(bytes.subarray(0, bytesRead))
  }

  async #endSegment(): Promise<void> {
    const segment = this.#segments.shift()!
    this.#quota.giveBack(segment.written)
    await segment.file.close()
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
      .then(() => Promise.all(this.#segments.map(({ file }) => file.close())))
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
    const giveBack = (bytes: number) => {
      this.#used.addMany(-bytes, owner)
      taken -= bytes
    }
    return {
      take: (bytes) => {
        taken += bytes
        this.#used.addMany(bytes, owner)
        if (this.#used.of(owner) > this.#limits.maxBytesPerOwner)
          throw unavailable('the spill files of one owner are full')
        if (this.#used.total > this.#limits.maxBytes) throw unavailable('the spill files are full')
      },
      // A read may end after the reader was destroyed.
      giveBack: (bytes) => giveBack(Math.min(bytes, taken)),
      release: () => giveBack(taken),
    }
  }
}
