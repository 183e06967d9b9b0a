import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip, type Gzip } from 'node:zlib'
import { invalidRequest } from '../errors/service-error.ts'
import { syncDirectory, writeDurably } from '../storage/write-durably.ts'
import { errorCode } from '../values/data-directory.ts'
import { STANDARD_OUTPUT } from './write-whole.ts'

const LAST_LINE = '{"cursor":'
const BATCH_CHARACTERS = 65_536
const MANIFEST = 'manifest.json'
const PART = '.part'

/** A stream of NDJSON whose last line has the cursor for the next one. */
export interface PulledFeed {
  readonly name: string
  /** The field whose day, in UTC, names the file. */
  readonly time: string
  open(since: string | undefined, signal: AbortSignal): Promise<Readable>
}

interface Pull {
  readonly feed: PulledFeed
  /** Path of the file that keeps the cursor. */
  readonly state: string
  /** A directory, or `-` for standard output. */
  readonly output: string
  readonly signal: AbortSignal
  readonly onRows: (rows: number) => void
}

interface KeptFile {
  readonly rows: number
  readonly bytes: number
  readonly sha256: string
}

interface State {
  readonly feed: string
  readonly cursor: string
  readonly complete_before: string
  readonly files: Readonly<Record<string, KeptFile>>
}

interface End {
  readonly cursor: string
  readonly rows: number
  readonly complete_before: string
}

interface Pulled extends End {
  readonly files: readonly string[]
}

/**
 * Adds what is new in a feed to a file for each day. The state is written last and says how much of each file counts, so a pull
 * that was killed leaves nothing out and repeats nothing.
 * @throws INVALID_REQUEST if a file does not fit the state; what the feed throws; an error if the feed was cut off
 */
export async function pullFeed(pull: Pull): Promise<Pulled> {
  const { feed, state: path, output, signal } = pull
  const state = await readState(path, feed.name)
  const body = await feed.open(state?.cursor, signal)
  // The loop over its lines throws the error.
  body.on('error', () => undefined)
  const batches = batchesOf(body, feed, pull.onRows)
  const files = output === STANDARD_OUTPUT ? await print(batches) : await addToDays(batches, pull, state)
  const end = batches.end()
  const next = { feed: feed.name, cursor: end.cursor, complete_before: end.complete_before }
  const kept = { ...state?.files, ...Object.fromEntries(files.map((file) => [file.name, file.kept])) }
  if (output !== STANDARD_OUTPUT) await commitFiles(output, files, { ...next, files: kept })
  await replace(path, `${JSON.stringify({ ...next, files: kept }, null, 2)}\n`)
  return { ...end, files: files.map(({ name }) => name) }
}

async function readState(path: string, feed: string): Promise<State | null> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null
    throw invalidRequest(`The state "${path}" cannot be read (${errorCode(error)}).`)
  })
  if (text === null) return null
  const state = parsed(text)
  if (state?.feed === feed && typeof state.cursor === 'string' && typeof state.files === 'object') return state
  throw invalidRequest(`The file "${path}" is not the state of a pull of ${feed}: name another one.`)
}

function parsed(text: string): State | null {
  try {
    return JSON.parse(text) as State | null
  } catch {
    return null
  }
}

interface Batch {
  readonly day: string
  readonly text: string
  readonly rows: number
}

interface Batches extends AsyncIterable<Batch> {
  /** @throws if the stream did not come whole */
  end(): End
}

/** Lines of one day, some at a time. */
function batchesOf(body: Readable, { time }: PulledFeed, onRows: (rows: number) => void): Batches {
  // A quotation mark inside a text has a backslash before it.
  const dayOf = new RegExp(`"${time}":"(\\d{4}-\\d\\d-\\d\\d)`)
  let last: string | undefined
  let rows = 0
  async function* read(): AsyncGenerator<Batch> {
    let batch = { day: '', text: '', rows: 0 }
    for await (const line of linesOf(body)) {
      if (line.startsWith(LAST_LINE)) {
        last = line
        continue
      }
      const day = dayOf.exec(line)?.[1]
      if (day === undefined || last !== undefined) throw new Error('the feed has a line that is no row of it')
      if (batch.rows > 0 && (batch.day !== day || batch.text.length > BATCH_CHARACTERS)) {
        yield batch
        batch = { day, text: '', rows: 0 }
      }
      batch = { day, text: `${batch.text}${line}\n`, rows: batch.rows + 1 }
      onRows(++rows)
    }
    if (batch.rows > 0) yield batch
    ended(last, rows)
  }
  return { [Symbol.asyncIterator]: read, end: () => ended(last, rows) }
}

function ended(last: string | undefined, rows: number): End {
  const end = last === undefined ? undefined : (JSON.parse(last) as End)
  if (end?.rows === rows) return end
  throw cutOff()
}

const cutOff = (cause?: unknown) =>
  new Error('The answer was cut off: pull again, which goes on from where the last one ended.', { cause })

async function* linesOf(body: Readable): AsyncGenerator<string> {
  let rest = ''
  body.setEncoding('utf8')
  try {
    for await (const chunk of body) {
      const lines = (rest + (chunk as string)).split('\n')
      rest = lines.pop() as string
      yield* lines
    }
  } catch (error) {
    throw cutOff(error)
  }
  if (rest !== '') yield rest
}

interface DayFile {
  readonly name: string
  readonly kept: KeptFile
}

async function print(batches: Batches): Promise<DayFile[]> {
  for await (const { text } of batches) {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain')
  }
  return []
}

/** The files have their names only after the last line. */
async function addToDays(batches: Batches, { feed, output, signal }: Pull, state: State | null): Promise<DayFile[]> {
  await mkdir(output, { recursive: true })
  await removeParts(output)
  const writers = new Map<string, DayWriter>()
  let open: DayWriter | undefined
  try {
    for await (const { day, text, rows } of batches) {
      signal.throwIfAborted()
      const name = `${feed.name}-${day}.ndjson.gz`
      if (open?.name !== name) {
        await open?.endMember()
        open = writers.get(name) ?? (await DayWriter.begin(output, name, state?.files[name]))
        writers.set(name, open)
      }
      await open.write(text, rows)
    }
    await open?.endMember()
    return [...writers.values()].map((writer) => writer.file())
  } catch (error) {
    await open?.abandon()
    await removeParts(output)
    throw error
  }
}

async function removeParts(directory: string): Promise<void> {
  const parts = (await readdir(directory)).filter((name) => name.endsWith(PART))
  for (const part of parts) await rm(join(directory, part), { force: true })
}

interface Member {
  readonly file: FileHandle
  readonly gzip: Gzip
  readonly done: Promise<void>
}

/** Writes a day's file anew: as much of it as the state knows, then one more member of gzip, or several if its day comes again. */
class DayWriter {
  readonly name: string
  readonly #part: string
  readonly #hash = createHash('sha256')
  #member: Member | undefined
  #bytes = 0
  #rows: number

  static async begin(directory: string, name: string, before: KeptFile | undefined): Promise<DayWriter> {
    const path = join(directory, name)
    const size = await stat(path).then(
      (found) => found.size,
      () => null,
    )
    // Files that somebody has loaded and taken away begin anew.
    const kept = size === null ? undefined : before
    if (kept !== undefined && (size as number) < kept.bytes)
      throw invalidRequest(`The file "${path}" is shorter than the state says: put it back, or take it away.`)
    const writer = new DayWriter(name, path + PART, kept?.rows ?? 0)
    if (kept !== undefined && kept.bytes > 0) await writer.#copy(createReadStream(path, { end: kept.bytes - 1 }))
    return writer
  }

  private constructor(name: string, part: string, rows: number) {
    this.name = name
    this.#part = part
    this.#rows = rows
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

async function commitFiles(directory: string, files: readonly DayFile[], state: State): Promise<void> {
  for (const { name } of files) await rename(join(directory, name + PART), join(directory, name))
  const { feed, complete_before, files: kept } = state
  const listed = Object.entries(kept).map(([name, file]) => ({ name, ...file }))
  const manifest = { feed, complete_before, files: listed.sort((a, b) => a.name.localeCompare(b.name)) }
  await replace(join(directory, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Replaces a file in one step that survives a power cut. */
async function replace(path: string, text: string): Promise<void> {
  await rm(path + PART, { force: true })
  await writeDurably(path + PART, Buffer.from(text))
  await rename(path + PART, path)
  await syncDirectory(dirname(path))
}
