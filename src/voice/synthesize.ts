import { createHash } from 'node:crypto'
import type { AudioThreads } from '../audio/audio-threads.ts'
import { joinSamples, type Wav } from '../audio/wav.ts'
import { pollCatalog } from '../catalog/catalog-cache.ts'
import { loadVoice, namesLibraryVoice } from '../catalog/library-voices.ts'
import { poolOf, slugOfKey } from '../catalog/voice-endpoint.ts'
import type { VoiceEndpoint } from '../context/catalog-snapshot.ts'
import type { Parts } from '../context/context.ts'
import type { EngineVoice, SpeechRequest } from '../engines/engine.ts'
import type { Engines } from '../engines/engines.ts'
import { knownLanguage } from '../engines/espeak/detect-language.ts'
import { isNormalized } from '../engines/text-normalization.ts'
import { describeError } from '../errors/describe-error.ts'
import { isAwaited } from '../jobs/job-shape.ts'
import { JobFailure } from '../jobs/job-states.ts'
import type { Claim } from '../jobs/lifecycle/claim-job.ts'
import { performJob } from '../jobs/lifecycle/perform-job.ts'
import {
  noteShared,
  type Produced,
  type Progress,
  recordLoading,
  recordProgress,
  type WorkerParts,
} from '../jobs/lifecycle/produce.ts'
import type { Settled } from '../jobs/lifecycle/record-outcome.ts'
import { endpointDeleted } from '../jobs/lifecycle/requeue-lost-jobs.ts'
import { type PartTiming, partKey, partTimingKey, recordPart } from '../jobs/live-parts.ts'
import type { Lexicons } from '../lexicon/account-lexicon.ts'
import type { Place } from '../queue/dispatcher.ts'
import type { Ticket } from '../queue/server-queue.ts'
import { Stopping } from '../queue/stopping.ts'
import type { SpokenPart } from './assemble.ts'
import { toFile } from './join.ts'
import { KeptSpeech, nameSpeech } from './long-text/kept-speech.ts'
import { isLong } from './long-text/sections.ts'
import { speakLongText } from './long-text/speak-long-text.ts'
import { wordless } from './markup/in-words.ts'
import { type JobScript, jobScript } from './markup/job-script.ts'
import { speakOpenText } from './open-text/speak-open-text.ts'
import { PieceSpeaker, type TimedPart } from './open-text/speak-pieces.ts'
import type { TextWaits } from './open-text/text-waits.ts'
import { speakText } from './speak-text.ts'
import { speechFile } from './speech-file.ts'
import type { SpeechRelay } from './speech-relay.ts'
import { wavSamples } from './stored-speech.ts'
import { inSubmitted } from './timing/speech-timing.ts'
import { inWrittenWords } from './timing/written-words.ts'

interface SynthesisParts extends WorkerParts {
  readonly audio: AudioThreads
  readonly engines: Engines
  readonly lexicons: Lexicons
  readonly speechRelay: SpeechRelay
  readonly textWaits: TextWaits
  readonly place?: Place
  readonly pool?: string
}

interface SharedEngine {
  readonly ticket: Ticket | undefined
  readonly place?: Place
}

interface PartPublisher {
  readonly publish: (part: SpokenPart & { readonly timing?: PartTiming }) => void
  settled(): Promise<void>
  /** Joins the first parts, which must have times. */
  recorded(count: number): Promise<Int16Array>
}

/** Writes the latest progress, one write at a time; a slow database skips steps but keeps their order. */
interface ProgressTracker {
  note(progress: Progress): void
  settled(): Promise<void>
}

/** A longer spoken text has the endpoint's limit once for each part of that length. */
const LIMITED_CHARACTERS = 10_000

/** The limit holds for all pieces and the waits between them; each piece has the endpoint's limit. */
const OPEN_LIMIT_SECONDS = 6 * 3600

/** Only workers of the new pool may reach the endpoint's server and use its permits. */
export class MovedAway extends Stopping {
  override readonly name = 'MovedAway'
  override readonly ending = 'moved'
  readonly endpoint: VoiceEndpoint

  constructor(endpoint: VoiceEndpoint) {
    super('the endpoint has moved to another pool')
    this.endpoint = endpoint
  }
}

/**
 * Processes one voice job: claim, charge, render, check, store, finish. A second run is harmless.
 * @param ticket in the engine's server queue; released once the engine is done
 * @throws if the job must be redelivered (database unavailable, `signal` aborted); MovedAway if another pool serves it
 */
export const synthesize = (
  parts: SynthesisParts,
  jobId: string,
  signal: AbortSignal,
  ticket?: Ticket,
): Promise<Settled> =>
  performJob(parts, jobId, signal, async (claim) => {
    const endpoint = await endpointHere(parts, claim)
    const voice = await voiceOf(parts, endpoint, claim, voiceSlugOf(endpoint, claim))
    const request = { ...speechRequest(endpoint, voice, claim, signal), onLoading: trackLoading(parts, claim) }
    const isRead = isNormalized(endpoint.engine, claim.options.textNormalization, endpoint.textNormalization)
    const read = async (text: string): Promise<JobScript> => {
      const named = (slug: string) => namedVoice(parts, endpoint, claim, slug)
      const script = await jobScript(parts, claim, { ...request, text }, isRead, named)
      noteWordless(parts, claim, script)
      return script
    }
    if (claim.options.pieces !== undefined)
      return {
        timeLimitSeconds: OPEN_LIMIT_SECONDS,
        awaitTicket: async () => ticket?.granted(),
        perform: (untilLimit) =>
          renderOpen({ ...parts, ticket, read }, endpoint, { ...request, signal: untilLimit }, claim),
      }
    const script = await read(request.text)
    const { spoken } = script.map
    const speak = isLong(spoken) ? renderLong : render
    const timeLimitSeconds = endpoint.timeLimitSeconds * Math.max(1, Math.ceil(spoken.length / LIMITED_CHARACTERS))
    return {
      timeLimitSeconds,
      awaitTicket: async () => ticket?.granted(),
      perform: (untilLimit) =>
        speak(
          { ...parts, ticket, script },
          { ...endpoint, timeLimitSeconds },
          { ...request, signal: untilLimit },
          claim,
        ),
    }
  })

async function render(
  parts: SynthesisParts & { readonly ticket: Ticket | undefined; readonly script: JobScript },
  endpoint: VoiceEndpoint,
  request: SpeechRequest,
  claim: Claim,
): Promise<Produced> {
  const { map, passages, language: readIn } = parts.script
  const asked = { ...request, ...(readIn !== undefined && { language: readIn }), text: map.spoken }
  const deadline = performance.now() + endpoint.timeLimitSeconds * 1000
  const progress = trackProgress(parts, claim)
  const live = claim.options.live === true ? publishParts(parts, claim, request.signal) : null
  const listening = { onProgress: progress.note, ...(live && { onPart: live.publish }) }
  try {
    const { audio, timing, chunks, language, checkSeconds } = await parts.engines.use(endpoint.engine, (engine) =>
      speakText(engine, { ...asked, deadline }, listening, passages),
    )
    parts.ticket?.release()
    if (chunks === 1) relayWhole(parts, claim, audio)
    const times = inWrittenWords(inSubmitted(await timing(), map), map, language)
    await live?.settled()
    const file = await speechFile(parts.audio, endpoint, claim, { text: map.submitted, timing: times, audio })
    return { chunks, language, checkSeconds, files: [file] }
  } finally {
    parts.ticket?.release()
    await Promise.all([progress.settled(), live?.settled()])
  }
}

/** Speaks a long text. Its chunks are kept until the job ends, and the file is made of them as it is stored. */
async function renderLong(
  parts: SynthesisParts & { readonly ticket: Ticket | undefined; readonly script: JobScript },
  endpoint: VoiceEndpoint,
  request: SpeechRequest,
  claim: Claim,
): Promise<Produced> {
  const { script, ticket, engines } = parts
  const { jobId, attempt, options } = claim
  const deadline = performance.now() + endpoint.timeLimitSeconds * 1000
  const asked = { ...request, text: script.map.spoken, deadline }
  const progress = trackProgress(parts, claim)
  const live = options.live === true ? publishParts(parts, claim, request.signal) : null
  const kept = new KeptSpeech(parts, jobId, attempt === 1, request.signal)
  const listening = { onProgress: progress.note, onPart: live?.publish }
  try {
    await noteShared(parts, jobId)
    const { speech, timing, chunks, language, checkSeconds } = await engines.use(endpoint.engine, (engine) =>
      speakLongText(engine, asked, script, { kept, name: nameSpeech(endpoint.engine), listening }),
    )
    ticket?.release()
    await live?.settled()
    const spoken = { text: script.map.submitted, timing, audio: speech }
    return { chunks, language, checkSeconds, files: [await speechFile(parts.audio, endpoint, claim, spoken)] }
  } finally {
    ticket?.release()
    await Promise.all([progress.settled(), live?.settled()])
  }
}

/** Speaks a text that comes while it is spoken. */
async function renderOpen(
  parts: SynthesisParts & { readonly ticket: Ticket | undefined; readonly read: (text: string) => Promise<JobScript> },
  endpoint: VoiceEndpoint,
  request: SpeechRequest,
  claim: Claim,
): Promise<Produced> {
  const live = publishParts(parts, claim, request.signal)
  const spoken: Pick<TimedPart, 'textEnd'>[] = []
  const onPart = (part: TimedPart): void => {
    spoken.push({ textEnd: part.textEnd })
    live.publish({ ...part, timing: timingOf(part) })
  }
  const speaker = new PieceSpeaker(request, { read: parts.read, onPart })
  try {
    const { text } = await speakOpenText(parts, {
      ...{ claim, speaker, parts: spoken, signal: request.signal, park: parts.place?.park },
      timeLimitSeconds: endpoint.timeLimitSeconds,
      use: (work) => parts.engines.use(endpoint.engine, work),
    })
    const { sampleRate, timing, chunks } = speaker.finish(text.length, spoken)
    const audio: Wav = { sampleRate, channels: 1, samples: await live.recorded(chunks) }
    const { language, checkSeconds } = speaker
    const file = await speechFile(parts.audio, endpoint, claim, { text, timing, audio })
    return { chunks, language, checkSeconds, files: [file] }
  } finally {
    parts.ticket?.release()
    await live.settled()
  }
}

const timingOf = ({ words, textEnd, wav }: TimedPart): PartTiming => ({
  words: words.map(({ start, end, from, to }) => ({ start, end, from, to })),
  textEnd,
  samples: wav.samples.length,
})

function relayWhole({ speechRelay }: SynthesisParts, { jobId, attempt }: Claim, { samples, sampleRate }: Wav): void {
  speechRelay.publish(jobId, { attempt, index: 0, samples, sampleRate, totalSamples: samples.length })
}

async function endpointHere(parts: SynthesisParts, claim: Claim): Promise<VoiceEndpoint> {
  const isHere = (endpoint: VoiceEndpoint) => parts.pool === undefined || poolOf(endpoint) === parts.pool
  const endpoint = await endpointOf(parts, claim)
  if (isHere(endpoint)) return endpoint
  // This process may hold an outdated catalog.
  await parts.catalog.reload()
  const latest = await endpointOf(parts, claim)
  if (!isHere(latest)) throw new MovedAway(latest)
  return latest
}

async function endpointOf(parts: SynthesisParts, claim: Claim): Promise<VoiceEndpoint> {
  const slug = slugOfKey(claim.endpointKey)
  const current = () => parts.catalog.current.endpoints.get(slug)
  const hasVoice = (endpoint: VoiceEndpoint) =>
    namesLibraryVoice(endpoint, voiceSlugOf(endpoint, claim)) ||
    endpoint.voices.some((voice) => voice.slug === voiceSlugOf(endpoint, claim))
  const endpoint =
    (await pollCatalog(parts, () => [current()].find((it) => it !== undefined && hasVoice(it)))) ?? current()
  if (endpoint === undefined) throw endpointDeleted()
  return endpoint
}

async function voiceOf(
  parts: SynthesisParts,
  endpoint: VoiceEndpoint,
  claim: Claim,
  slug: string,
): Promise<EngineVoice> {
  const voice = await loadVoice(parts, endpoint, slug, claim.accountId)
  if (voice === null) throw new JobFailure('RENDER_FAILED', 'the voice was deleted before a worker took the job')
  return voice
}

async function namedVoice(
  parts: SynthesisParts,
  endpoint: VoiceEndpoint,
  claim: Claim,
  name: string,
): Promise<EngineVoice | null> {
  if (namesLibraryVoice(endpoint, name)) return voiceOf(parts, endpoint, claim, name)
  const voice = await loadVoice(parts, endpoint, name, claim.accountId)
  if (voice === null)
    parts.log.warn(
      { jobId: claim.jobId },
      'a text names a voice that its endpoint lacks: the voice of the job speaks instead',
    )
  return voice
}

function noteWordless({ log }: SynthesisParts, { jobId }: Claim, { language, map, passages }: JobScript): void {
  if (language === undefined) return
  const characters =
    passages?.flatMap(({ start, end, change }) =>
      wordless(map.spoken.slice(start, end), knownLanguage(change.language) ?? language),
    ) ?? wordless(map.spoken, language)
  if (characters.length > 0)
    log.warn({ jobId, characters }, 'a text has characters without words: the engine may leave them out')
}

const voiceSlugOf = ({ voiceInput }: VoiceEndpoint, { inputs }: Claim): string => String(inputs[voiceInput])

function speechRequest(endpoint: VoiceEndpoint, voice: EngineVoice, claim: Claim, signal: AbortSignal): SpeechRequest {
  const { text, language, style_instruction, speed, seed, ...others }: Record<string, unknown> = {
    ...claim.options,
    ...claim.inputs,
  }
  const ours = [endpoint.voiceInput, endpoint.audio?.format_input, endpoint.captions?.captions_input]
  const isEngines = ([name]: [string, unknown]) => !ours.includes(name) && Object.hasOwn(claim.inputs, name)
  return {
    text: String(text),
    voice,
    signal,
    extra: Object.fromEntries(Object.entries(others).filter(isEngines)),
    ...(typeof language === 'string' && { language }),
    ...(typeof style_instruction === 'string' && { styleInstruction: style_instruction.normalize('NFC') }),
    ...(typeof speed === 'number' && { speed }),
    seed: typeof seed === 'number' ? seed : seedOf(claim.jobId),
    ...(endpoint.loudness === 'as_is' && { loudness: 'as_is' }),
    ...(isAwaited(claim.options) && { awaitedBy: claim.accountId }),
  }
}

/** All attempts and chunks share one seed, so they sound like one speaker. */
const seedOf = (jobId: string): number => createHash('sha256').update(jobId).digest().readUInt32BE() >>> 1

/**
 * Relays parts to listeners here, stores them in order and notifies other processes. A storage error ends storing. Parts with times are
 * in memory only until they are stored.
 */
function publishParts(
  parts: Pick<Parts, 'db' | 'notifier' | 'storage' | 'log'> & SharedEngine & { readonly speechRelay: SpeechRelay },
  claim: Claim,
  signal: AbortSignal,
): PartPublisher {
  let last = Promise.resolve()
  let isBroken = false
  const unstored = new Map<number, Int16Array>()
  const write = async ({ index, wav, timing }: Parameters<PartPublisher['publish']>[0]): Promise<void> => {
    if (isBroken || signal.aborted) return
    try {
      if (timing !== undefined) await storeTiming(parts, claim, index, timing, signal)
      const key = partKey(claim.jobId, claim.attempt, index)
      await parts.storage.put(key, toFile(wav), { contentType: 'audio/wav', signal, isBrief: true })
      await recordPart(parts, claim, index + 1)
      unstored.delete(index)
    } catch (error) {
      isBroken = true
      parts.log.warn({ jobId: claim.jobId, ...describeError(error) }, 'a part of the speech could not be stored')
    }
  }
  return {
    publish: (part) => {
      const { samples, sampleRate } = part.wav
      const { index, timing } = part
      if (timing !== undefined) unstored.set(index, samples)
      parts.speechRelay.publish(claim.jobId, { attempt: claim.attempt, index, samples, sampleRate, timing })
      last = last.then(() => write(part))
      shareEngine(parts, claim)
    },
    settled: () => last,
    recorded: async (count) => {
      await last
      return joinParts(parts, claim, unstored, count)
    },
  }
}

async function joinParts(
  { storage }: Pick<Parts, 'storage'>,
  { jobId, attempt }: Claim,
  unstored: ReadonlyMap<number, Int16Array>,
  count: number,
): Promise<Int16Array> {
  const all: Int16Array[] = []
  for (let index = 0; index < count; index++) {
    const samples = unstored.get(index)
    if (samples !== undefined) all.push(samples)
    else
      for await (const block of (await wavSamples(await storage.read(partKey(jobId, attempt, index)))).blocks)
        all.push(block)
  }
  return joinSamples(all)
}

/** Whoever waits for the job shares the engine with the next one who waits, chunk by chunk. */
function shareEngine({ ticket, place }: SharedEngine, { options }: Claim): void {
  if (!isAwaited(options)) return
  ticket?.release()
  place?.share()
}

async function storeTiming(
  { storage }: Pick<Parts, 'storage'>,
  { jobId, attempt }: Claim,
  index: number,
  timing: PartTiming,
  signal: AbortSignal,
): Promise<void> {
  const content = Buffer.from(JSON.stringify(timing))
  const options = { contentType: 'application/json', signal, isBrief: true }
  await storage.put(partTimingKey(jobId, attempt, index), content, options)
}

/** One write at a time, in order. */
function trackLoading(parts: WorkerParts, claim: Claim): (isLoading: boolean) => void {
  let last = Promise.resolve()
  return (isLoading) => {
    last = last.then(() => recordLoading(parts, claim, isLoading).catch(() => undefined))
  }
}

function trackProgress(parts: WorkerParts & SharedEngine, claim: Claim): ProgressTracker {
  let latest: Progress | null = null
  let writing: Promise<void> | null = null
  const writeAll = async (): Promise<void> => {
    while (latest !== null) {
      const progress = latest
      latest = null
      await recordProgress(parts, claim, progress).catch(() => undefined)
    }
    writing = null
  }
  return {
    note: (progress) => {
      if (progress.done > 0) shareEngine(parts, claim)
      latest = progress
      writing ??= writeAll()
    },
    settled: async () => {
      latest = null
      await writing
    },
  }
}
