import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { invalidRequest } from '../errors/service-error.ts'
import { syncDirectory, writeDurably } from '../storage/write-durably.ts'
import { errorCode } from '../values/data-directory.ts'
import {
  checkDays,
  type DayFile,
  DayWriter,
  dayFileOf,
  type KeptFiles,
  nameDay,
  removeParts,
  settleDays,
} from './day-files.ts'
import { STANDARD_OUTPUT } from './write-whole.ts'

const LAST_LINE = '{"cursor":'
const BATCH_CHARACTERS = 65_536
const PART = '.part'

/** A stream of NDJSON whose last line has the cursor for the next one. */
export interface PulledFeed {
  readonly name: string
  /** The field whose day, in UTC, names the file. */
  readonly time: string
  open(page: FeedPage, signal: AbortSignal): Promise<Readable>
}

/** At most `limit` rows: if as many come, more may follow. */
export interface FeedPage {
  readonly since: string | undefined
  readonly limit: number
}

interface Pull {
  readonly feed: PulledFeed
  /** Path of the file that keeps the cursor. */
  readonly state: string
  /** A directory, or `-` for standard output. */
  readonly output: string
  readonly signal: AbortSignal
  /** Rows of one answer. */
  readonly limit: number
  readonly onRows: (rows: number) => void
}

interface State {
  readonly feed: string
  /** An id that the folder's manifest has too; none if the rows are printed. */
  readonly folder?: string
  /** None until the first pull has ended. */
  readonly cursor?: string
  readonly complete_before?: string
  readonly files: KeptFiles
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
 * Adds what is new in a feed to a file for each day, some rows after the others: a pull that is killed goes on from the last answer
 * that came whole.
 * @throws INVALID_REQUEST if the files do not fit the state; what the feed throws; an error if the feed was cut off
 */
export async function pullFeed(pull: Pull): Promise<Pulled> {
  const files = new Set<string>()
  for (let rows = 0; ; ) {
    const before = rows
    const page = await pullPage({ ...pull, onRows: (more) => pull.onRows(before + more) })
    rows += page.rows
    for (const name of page.files) files.add(name)
    if (page.rows < pull.limit) return { ...page, rows, files: [...files].sort() }
  }
}

/**
 * To write the state is the one step in which an answer counts: a pull that is killed before it has changed no file, and the next pull
 * ends one that is killed after it.
 */
async function pullPage(pull: Pull): Promise<Pulled> {
  const { feed, output, signal, limit } = pull
  const state = await readState(pull.state, feed.name)
  const body = await feed.open({ since: state?.cursor, limit }, signal)
  // The loop over its lines throws the error.
  body.on('error', () => undefined)
  try {
    const batches = batchesOf(body, feed, pull.onRows)
    return await (output === STANDARD_OUTPUT ? pullOut(batches, pull, state) : pullIn(batches, pull, state))
  } finally {
    body.destroy()
  }
}

async function pullOut(batches: Batches, { feed, state: path, output }: Pull, state: State | null): Promise<Pulled> {
  if (state?.folder !== undefined) throw otherOutput(path, output)
  for await (const { text } of batches) await print(text)
  const end = batches.end()
  const { cursor, complete_before } = end
  await replace(path, { feed: feed.name, cursor, complete_before, files: {} })
  return { ...end, files: [] }
}

/** Without waiting, the last rows fail after the state has moved on. */
const print = (text: string): Promise<void> =>
  new Promise((resolve, reject) =>
    process.stdout.write(text, (error) => (error ? reject(notPrinted(error)) : resolve())),
  )

const notPrinted = (cause: Error) =>
  new Error('Standard output did not take all rows: pull again, which begins where this pull began.', { cause })

async function pullIn(batches: Batches, pull: Pull, before: State | null): Promise<Pulled> {
  const state = await openFolder(pull, before)
  const days = await addToDays(batches, pull, state.files)
  const end = batches.end()
  const { cursor, complete_before } = end
  const files = { ...state.files, ...Object.fromEntries(days.map(({ name, kept }) => [name, kept])) }
  const next = { ...state, cursor, complete_before, files }
  await replace(pull.state, next)
  for (const { name } of days) await nameDay(pull.output, name)
  await replace(manifestIn(pull), manifestOf(next))
  return { ...end, files: days.map(({ name }) => name) }
}

/**
 * Takes an empty folder for this state, or finds that the folder is its own.
 * @throws INVALID_REQUEST if the folder is of another state, or has files that do not fit this one
 */
async function openFolder(pull: Pull, before: State | null): Promise<State> {
  const { feed, state: path, output } = pull
  await mkdir(output, { recursive: true })
  const state: State = before ?? { feed: feed.name, folder: randomUUID(), files: {} }
  if (state.cursor === undefined && (await readManifest(pull)) === null) await claim(pull, state)
  const manifest = await readManifest(pull)
  if (state.folder === undefined || manifest?.folder !== state.folder) throw otherOutput(path, output)
  await settleDays(output, feed.name, state.files)
  await replace(manifestIn(pull), manifestOf(state))
  return state
}

/** If two pulls do it at a time, the manifest is of the one that was first. */
async function claim(pull: Pull, state: State): Promise<void> {
  await checkDays(pull.output, pull.feed.name, state.files)
  await replace(pull.state, state)
  await writeDurably(manifestIn(pull), json(manifestOf(state))).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error
  })
  await syncDirectory(pull.output)
}

const otherOutput = (path: string, output: string) =>
  invalidRequest(
    `The state "${path}" and the output "${output}" do not belong together: name those that do, or a new state and an empty folder.`,
  )

async function readState(path: string, feed: string): Promise<State | null> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null
    throw invalidRequest(`The state "${path}" cannot be read (${errorCode(error)}).`)
  })
  if (text === null) return null
  const state = parsed<State>(text)
  const isBegun = typeof state?.cursor === 'string' || typeof state?.folder === 'string'
  if (state?.feed === feed && isBegun && typeof state.files === 'object') return state
  throw invalidRequest(`The file "${path}" is not the state of a pull of ${feed}: name another one.`)
}

function parsed<T>(text: string): T | null {
  try {
    return JSON.parse(text) as T | null
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

/** The files have their names only after the last line. */
async function addToDays(batches: Batches, { feed, output, signal }: Pull, files: KeptFiles): Promise<DayFile[]> {
  const writers = new Map<string, DayWriter>()
  let open: DayWriter | undefined
  try {
    for await (const { day, text, rows } of batches) {
      signal.throwIfAborted()
      const name = dayFileOf(feed.name, day)
      if (open?.name !== name) {
        await open?.endMember()
        open = writers.get(name) ?? (await DayWriter.begin(output, name, files[name]))
        writers.set(name, open)
      }
      await open.write(text, rows)
    }
    await open?.endMember()
    await syncDirectory(output)
    return [...writers.values()].map((writer) => writer.file())
  } catch (error) {
    await open?.abandon()
    await removeParts(output, feed.name)
    throw error
  }
}

interface Manifest {
  readonly feed: string
  readonly folder: string | undefined
  readonly complete_before: string | undefined
  readonly files: readonly object[]
}

const manifestIn = ({ output, feed }: Pull): string => join(output, `${feed.name}.manifest.json`)

const readManifest = async (pull: Pull): Promise<Manifest | null> =>
  parsed<Manifest>(await readFile(manifestIn(pull), 'utf8').catch(() => ''))

function manifestOf({ feed, folder, complete_before, files }: State): Manifest {
  const listed = Object.entries(files).map(([name, file]) => ({ name, ...file }))
  return { feed, folder, complete_before, files: listed.sort((a, b) => a.name.localeCompare(b.name)) }
}

/** Replaces a file in one step that survives a power cut. */
async function replace(path: string, content: State | Manifest): Promise<void> {
  await rm(path + PART, { force: true })
  await writeDurably(path + PART, json(content))
  await rename(path + PART, path)
  await syncDirectory(dirname(path))
}

const json = (content: State | Manifest): Buffer => Buffer.from(`${JSON.stringify(content, null, 2)}\n`)
