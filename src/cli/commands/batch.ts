import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { access, constants } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { Command } from 'commander'
import { FILE_FORMATS } from '../../audio/format.ts'
import { invalidRequest, ServiceError } from '../../errors/service-error.ts'
import { type JobOptions, storedOptions } from '../../jobs/job-shape.ts'
import { JOB_ERRORS } from '../../jobs/job-states.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { canonicalJson } from '../../values/json.ts'
import { printableLines } from '../../values/printable.ts'
import type { Worker } from '../../worker/start-worker.ts'
import { type BatchLine, countLines, readBatch } from '../batch-lines.ts'
import { JobEnds, type JobState } from '../job-ends.ts'
import { oneOf, payingFor } from '../options.ts'
import { serviceCommand, withInterruption } from '../run-command.ts'
import { writeWhole } from '../write-whole.ts'
import { firstVoice, warnUnserved } from './say.ts'

/** Enough for the slots of several workers. */
const AT_ONCE = 64
const NAME_DIGITS = 6
/** A job that no worker takes meanwhile makes this process a worker. */
const CLAIM_TIMEOUT_MS = 1500
const STOPPED = 'Stopped: the jobs go on. The same command goes on from where it was.'

interface BatchOptions {
  readonly account: string
  readonly endpoint: string
  readonly voice?: string
  readonly format?: string
  readonly output?: string
  readonly json?: boolean
}

interface Result {
  readonly line: number
  readonly status: 'completed' | 'failed' | 'refused'
  readonly job_id?: string
  readonly file?: string
  readonly duration_ms?: number | null
  readonly error?: string
  readonly error_code?: string
  readonly details?: ServiceError['details']
}

interface Batch {
  readonly payer: Awaited<ReturnType<typeof payingFor>>
  readonly slug: string
  /** Lines that name none use this one. */
  readonly voice: object
  readonly options: JobOptions | null
  readonly folder: string | undefined
  readonly ends: JobEnds
  readonly signal: AbortSignal
}

export function addBatchCommand(program: Command): void {
  serviceCommand<BatchOptions>(
    program
      .command('batch')
      .description(
        'speak each line of a file and print a line for each result; run again within 24 hours, it goes on and speaks nothing twice',
      )
      .argument('<file>', 'lines of JSON with the inputs of the endpoint, such as {"text": "Hello!", "voice": "aria"}')
      .requiredOption('--account <account>', 'the account that pays, by id or name')
      .option('--endpoint <slug>', 'a voice endpoint', 'tts')
      .option('--voice <voice>', "the voice of lines that name none; the endpoint's first one if not given")
      .option('--format <format>', `${FILE_FORMATS.join(', ')}; the endpoint's own if not given`)
      .option('-o, --output <dir>', 'a folder for the audio: the file of line 7 is 000007.wav'),
    batch,
  )
}

async function batch(runtime: Runtime, given: BatchOptions, [file = '']: string[]): Promise<null> {
  const ctx = runtime.as({ kind: 'system' })
  const format = oneOf('--format', FILE_FORMATS, given.format)
  const { endpoint: slug, output: folder } = given
  const voiceInput = ctx.catalog.current.endpoints.get(slug)?.voiceInput ?? 'voice'
  const voice = { [voiceInput]: given.voice ?? firstVoice(ctx, slug) }
  const payer = await payingFor(ctx, given.account)
  if (folder !== undefined) await checkFolder(folder)
  const total = process.stderr.isTTY ? await countLines(file) : null
  const counts = { completed: 0, failed: 0, refused: 0 }
  await withInterruption(async (signal) => {
    const ends = new JobEnds(ctx.db, signal)
    const work: Batch = { payer, slug, voice, options: storedOptions({ format }), folder, ends, signal }
    const shown = await startBar(total)
    const stopHelp = helpUnserved(runtime, slug, ends)
    try {
      await eachLine(file, signal, async (line) => {
        const result = await speakLine(work, line)
        counts[result.status] += 1
        await shown.print(given.json ? JSON.stringify(result) : toLine(result))
      })
    } finally {
      shown.stop()
      await stopHelp()
    }
  }, STOPPED)
  const { completed, failed, refused } = counts
  if (!given.json) process.stderr.write(`${completed} completed, ${failed} failed, ${refused} refused\n`)
  if (failed + refused > 0) process.exitCode = 1
  return null
}

async function checkFolder(folder: string): Promise<void> {
  await access(join(folder, '.'), constants.W_OK | constants.X_OK).catch((error: NodeJS.ErrnoException) => {
    throw invalidRequest(`The folder "${folder}" cannot be written (${error.code}): make it first.`)
  })
}

/** The first error that is no line's own stops all. */
async function eachLine(file: string, signal: AbortSignal, work: (line: BatchLine) => Promise<void>): Promise<void> {
  const lines = readBatch(file)
  let failure: { readonly error: unknown } | null = null
  const runNext = async (): Promise<void> => {
    for (;;) {
      const next = failure === null && !signal.aborted ? await lines.next() : null
      if (next === null || next.done) return
      await work(next.value)
    }
  }
  const run = () =>
    runNext().catch((error: unknown) => {
      failure ??= { error }
    })
  await Promise.all(Array.from({ length: AT_ONCE }, run))
  signal.throwIfAborted()
  if (failure !== null) throw (failure as { error: unknown }).error
}

async function speakLine(batch: Batch, { number: line, inputs, error }: BatchLine): Promise<Result> {
  if (inputs === null) return { line, status: 'refused', error, error_code: 'INVALID_REQUEST' }
  try {
    const jobId = await submit(batch, line, { ...batch.voice, ...inputs })
    return { line, job_id: jobId, ...(await outcomeOf(batch, line, await batch.ends.of(jobId))) }
  } catch (thrown) {
    if (!(thrown instanceof ServiceError) || thrown.status >= 500) throw thrown
    const { message, code, details } = thrown
    return { line, status: 'refused', error: message, error_code: code, ...(details?.length && { details }) }
  }
}

/** The key covers the line's place and content, so a changed line is another job, and two equal lines are two jobs. */
async function submit({ payer, slug, options }: Batch, line: number, inputs: object): Promise<string> {
  // The operator may have disabled the account since the first line.
  await payingFor(payer, payer.actor.accountId)
  const { submitVoiceJob } = await import('../../voice/submit-voice-job.ts')
  const digest = createHash('sha256')
    .update(canonicalJson([slug, inputs, options]))
    .digest('hex')
  const { jobId } = await submitVoiceJob(payer, { slug, inputs, options, idempotencyKey: `batch ${line} ${digest}` })
  return jobId
}

type Outcome = Omit<Result, 'line' | 'job_id'>

async function outcomeOf(batch: Batch, line: number, state: JobState): Promise<Outcome> {
  const { errorCode, storageKey, durationMs } = state
  if (errorCode !== null) return { status: 'failed', error: JOB_ERRORS[errorCode], error_code: errorCode }
  if (storageKey === null) return { status: 'failed', error: 'The audio was deleted.', error_code: 'GONE' }
  if (batch.folder === undefined) return { status: 'completed', duration_ms: durationMs }
  const file = join(batch.folder, String(line).padStart(NAME_DIGITS, '0') + extname(storageKey))
  await writeWhole(file, await batch.payer.storage.read(storageKey), batch.signal)
  return { status: 'completed', file, duration_ms: durationMs }
}

function toLine({ line, status, job_id: jobId, file, duration_ms: ms, error, error_code: code, details }: Result) {
  const why = [`${code}: ${error}`, ...(details ?? []).map(({ path, message }) => `${path} ${message}`)].join('; ')
  const parts =
    status === 'completed' ? [...(file === undefined ? [] : [file]), `${((ms ?? 0) / 1000).toFixed(1)} s`] : [why]
  return printableLines([String(line), status, ...parts, ...(jobId === undefined ? [] : [jobId])].join('  '))
}

interface Shown {
  print(line: string): Promise<void>
  stop(): void
}

/** @param total null: no terminal */
async function startBar(total: number | null): Promise<Shown> {
  const write = async (line: string): Promise<void> => {
    if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain')
  }
  if (total === null) return { print: write, stop: () => undefined }
  const { MultiBar } = await import('cli-progress')
  const format = '{bar} {percentage}%  {value} of {total} lines'
  const bars = new MultiBar({ format, stream: process.stderr, clearOnComplete: false })
  const bar = bars.create(total, 0)
  return {
    print: async (line) => {
      if (process.stdout.isTTY) bars.log(`${line}\n`)
      else await write(line)
      bar.increment()
    },
    stop: () => bars.stop(),
  }
}

/** Without any worker this process becomes one. */
function helpUnserved(runtime: Runtime, slug: string, ends: JobEnds): () => Promise<void> {
  let worker: Promise<Worker> | undefined
  const timer = setTimeout(() => {
    if (ends.hasBegun) return
    worker = import('../../worker/start-worker.ts').then(({ startWorker }) => startWorker(runtime))
    worker.then(() => warnUnserved(runtime.as({ kind: 'system' }), slug)).catch(() => undefined)
  }, CLAIM_TIMEOUT_MS)
  return async () => {
    clearTimeout(timer)
    await (await worker?.catch(() => undefined))?.stop()
  }
}
