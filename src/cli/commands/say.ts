import { extname } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { Command } from 'commander'
import {
  CAPTION_FORMATS,
  type CaptionFormat,
  FILE_FORMATS,
  type FileFormat,
  USUAL_FORMATS,
} from '../../audio/format.ts'
import { invalidRequest, ServiceError } from '../../errors/service-error.ts'
import type { OperatorJob } from '../../jobs/job.ts'
import type { StoredAudio } from '../../jobs/job-parts.ts'
import { errorOf, isVoiceLoading, storedOptions } from '../../jobs/job-shape.ts'
import { isTerminal, JobFailure } from '../../jobs/job-states.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { ServiceContext } from '../../runtime/services.ts'
import { commandLine } from '../../values/program.ts'
import type { Worker } from '../../worker/start-worker.ts'
import { oneOf, payingFor } from '../options.ts'
import { type Answer, serviceCommand, withInterruption } from '../run-command.ts'
import { checkWritable, writeWhole } from '../write-whole.ts'

const USUAL_ENDPOINT = 'tts'
const FIRST_POLLS = { ms: 20, untilMs: 1000 }
const POLL_MS = 50
const CLAIM_TIMEOUT_MS = 1500
const UNSERVED_MS = 4000

interface SayOptions {
  readonly voice?: string
  readonly endpoint?: string
  readonly account?: string
  readonly output?: string
  readonly format?: string
  readonly captions?: string
}

interface Spoken {
  readonly jobId: string
  readonly slug: string
}

export function addSayCommand(program: Command): void {
  serviceCommand<SayOptions>(
    program
      .command('say')
      .description('speak a text into a file, through the same queue as API requests')
      .argument('<text>')
      .option('--voice <voice>', "one of the endpoint's voices; its first one if not given")
      .option(
        '--endpoint <slug>',
        'a voice endpoint; if not given, tts, or another one where the engine of that is away',
      )
      .option('--account <account>', 'the account that pays, by id or name; the oldest one if not given')
      .option(
        '--format <format>',
        `${FILE_FORMATS.join(', ')}; if not given, what <file> ends with, else the endpoint's own`,
      )
      .option('--captions <file>', 'where to write its captions, too: a .vtt, .srt or .json file')
      .option('-o, --output <file>', 'where to write the audio; - is standard output, <job id>.<format> if not given'),
    say,
  )
}

type Chosen = SayOptions & { readonly endpoint: string }

async function say(runtime: Runtime, given: SayOptions, [text = '']: readonly string[]): Promise<Answer> {
  const { submitVoiceJob } = await import('../../voice/submit-voice-job.ts')
  const ctx = runtime.as({ kind: 'system' })
  const options = { ...given, endpoint: given.endpoint ?? (await usualEndpoint(ctx, given.voice)) }
  await checkVoice(ctx, options)
  const voice = options.voice ?? firstVoice(ctx, options.endpoint)
  const payer = await payerOf(ctx, options.account)
  const captions = captionsIn(options.captions)
  // The account must not pay for audio that this command cannot store.
  for (const path of [options.output, options.captions]) if (path !== undefined) await checkWritable(path)
  const voiceInput = ctx.catalog.current.endpoints.get(options.endpoint)?.voiceInput ?? 'voice'
  const format = oneOf('--format', FILE_FORMATS, options.format) ?? formatOf(ctx, options)
  const { endpoint: slug } = options
  const spoken = { inputs: { text, [voiceInput]: voice }, options: storedOptions({ format, priority: 'interactive' }) }
  const jobId = await withInterruption(async (stopped) => {
    const { jobId } = await submitVoiceJob(payer, { slug, ...spoken })
    await awaitJob(runtime, { jobId, slug }, stopped)
    return jobId
  })
  const { storageKey, durationMs } = await audioOf(ctx, jobId)
  const file = options.output ?? `${jobId}${storageKey.slice(storageKey.lastIndexOf('.'))}`
  const audio = await ctx.storage.read(storageKey)
  await withInterruption((signal) => writeWhole(file, audio, signal))
  if (captions !== null) await writeCaptions(ctx, { jobId, text }, captions)
  const json = { job_id: jobId, file, duration_ms: durationMs, ...(captions !== null && { captions: captions.file }) }
  const files = captions === null ? file : `${file}  ${captions.file}`
  return { json, text: `${files}  ${((durationMs ?? 0) / 1000).toFixed(1)} s  ${jobId}` }
}

async function usualEndpoint(ctx: ServiceContext, voice: string | undefined): Promise<string> {
  const { endpoints, open } = ctx.catalog.current
  const usual = endpoints.get(USUAL_ENDPOINT)
  if (usual === undefined || open.length < 2) return USUAL_ENDPOINT
  const { withoutAway } = await import('../../worker/served-pools.ts')
  const answering = await withoutAway(ctx, [usual, ...open])
  const able = answering.filter(({ voices }) => voice === undefined || voices.some(({ slug }) => slug === voice))
  return answering.includes(usual) ? USUAL_ENDPOINT : (able[0]?.slug ?? USUAL_ENDPOINT)
}

/** Voices of the account's library go by their ids, which the submission checks. @throws INVALID_REQUEST */
async function checkVoice({ catalog }: ServiceContext, { endpoint, voice }: Chosen): Promise<void> {
  const voices = catalog.current.endpoints.get(endpoint)?.voices.map(({ slug }) => slug)
  if (voice === undefined || voices === undefined || voices.includes(voice)) return
  const { isId } = await import('../../values/id.ts')
  if (isId('voice', voice)) return
  throw invalidRequest(`Give --voice one of the voices of "${endpoint}": ${voices.join(', ')}.`)
}

function formatOf({ catalog }: ServiceContext, { endpoint, output = '' }: Chosen): FileFormat | undefined {
  const ending = extname(output).toLowerCase()
  const named = FILE_FORMATS.find((format) => ending === `.${format}`)
  const formats = catalog.current.endpoints.get(endpoint)?.audio?.formats ?? USUAL_FORMATS
  if (ending === '' || (named !== undefined && formats.includes(named))) return named
  const endings = formats.map((format) => `.${format}`).join(', ')
  throw invalidRequest(`Give -o a file that ends with one of ${endings}, the formats of "${endpoint}", or --format.`)
}

interface CaptionsFile {
  readonly file: string
  readonly format: CaptionFormat
}

function captionsIn(file: string | undefined): CaptionsFile | null {
  if (file === undefined) return null
  const format = CAPTION_FORMATS.find((known) => extname(file).toLowerCase() === `.${known}`)
  if (format === undefined)
    throw invalidRequest(
      `Give --captions a file that ends with one of ${CAPTION_FORMATS.map((known) => `.${known}`).join(', ')}.`,
    )
  return { file, format }
}

async function writeCaptions(
  ctx: ServiceContext,
  { jobId, text }: { readonly jobId: string; readonly text: string },
  { file, format }: CaptionsFile,
): Promise<void> {
  const { captionsOf } = await import('../../voice/captions/voice-job-captions.ts')
  const { findJob } = await import('../../jobs/job.ts')
  const job = await findJob(ctx.db.pool, jobId, null)
  if (job === null) throw new ServiceError('NOT_FOUND', `No job with the id "${jobId}".`)
  const { content } = await captionsOf(ctx, job, format, text)
  await withInterruption((signal) => writeWhole(file, Readable.from([content], { objectMode: false }), signal))
}

export function firstVoice(ctx: ServiceContext, slug: string): string {
  const voice = ctx.catalog.current.endpoints.get(slug)?.voices[0]?.slug
  if (voice === undefined) throw new ServiceError('NOT_FOUND', `No voice endpoint with the slug "${slug}".`)
  return voice
}

async function payerOf(ctx: ServiceContext, account: string | undefined): Promise<ServiceContext> {
  if (account !== undefined) return payingFor(ctx, account)
  const { installDemoAccount } = await import('../../runtime/install.ts')
  await installDemoAccount(ctx)
  return payingFor(ctx, null)
}

async function audioOf(ctx: ServiceContext, jobId: string): Promise<StoredAudio> {
  const { findAudio } = await import('../../jobs/job-parts.ts')
  const audio = await findAudio(ctx.db, jobId)
  if (audio === undefined) throw new ServiceError('NOT_FOUND', `The job ${jobId} has no audio: check its endpoint.`)
  return audio
}

/**
 * Waits for a voice job. If no worker takes it, this process becomes one meanwhile.
 * @param stopped cancels the job; its reason is thrown
 * @throws JobFailure
 */
async function awaitJob(runtime: Runtime, { jobId, slug }: Spoken, stopped: AbortSignal): Promise<void> {
  const { showJob } = await import('../../jobs/job.ts')
  const ctx = runtime.as({ kind: 'system' })
  const submitted = performance.now()
  let worker: Worker | null = null
  let [warned, isToldLoading] = [false, false]
  try {
    for (;;) {
      if (stopped.aborted) await cancel(ctx, jobId)
      stopped.throwIfAborted()
      const job = await showJob(ctx, { jobId })
      if (isTerminal(job.status)) return assertCompleted(job)
      if (isVoiceLoading(job) && !isToldLoading) {
        process.stderr.write('The voice is being loaded.\n')
        isToldLoading = true
      }
      const waitedMs = job.status === 'queued' ? performance.now() - submitted : 0
      if (waitedMs > CLAIM_TIMEOUT_MS && worker === null) {
        const { startWorker } = await import('../../worker/start-worker.ts')
        worker = await startWorker(runtime)
      }
      if (waitedMs > UNSERVED_MS && !warned) warned = await warnUnserved(ctx, slug)
      await wait(performance.now() - submitted < FIRST_POLLS.untilMs ? FIRST_POLLS.ms : POLL_MS)
    }
  } finally {
    await worker?.stop()
  }
}

async function cancel(ctx: ServiceContext, jobId: string): Promise<void> {
  const { cancelJob } = await import('../../jobs/lifecycle/cancel-job.ts')
  await cancelJob(ctx, { jobId }).catch(() => {
    process.stderr.write(`The job was not cancelled: run "${commandLine(`jobs cancel ${jobId}`)}".\n`)
  })
}

export async function warnUnserved(ctx: ServiceContext, slug: string): Promise<boolean> {
  const { poolWithoutServer } = await import('../../worker/pools.ts')
  const pool = await poolWithoutServer(ctx, slug)
  if (pool === null) return false
  process.stderr.write(
    `The job waits, as no worker has a server for the pool ${pool}: start "${commandLine(`work --pools ${pool} --server FILE`)}", or cancel the job with Ctrl-C.\n`,
  )
  return true
}

function assertCompleted(job: OperatorJob): void {
  const error = errorOf(job)
  if (error !== null) throw new JobFailure(error.code, job.cause ?? 'no cause is known')
}
