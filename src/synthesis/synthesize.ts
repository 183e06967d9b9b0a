import type { Parts } from '../context.ts'
import type { VoiceEndpoint } from '../endpoints/voice-endpoint.ts'
import type { EngineVoice, SpeechRequest } from '../engines/engine.ts'
import type { Engines } from '../engines/engines.ts'
import type { Claim } from '../jobs/claim-job.ts'
import { JobFailure } from '../jobs/job-states.ts'
import { type ProducedFile, performJob } from '../jobs/perform-job.ts'
import { checkAudio } from './check-audio.ts'

const AUDIO_TYPE = 'audio/wav'

export interface SynthesisParts extends Parts {
  readonly engines: Engines
}

/**
 * A worker's whole way with one voice job: claim and charge, render, check, store, finish. Running it twice for one job is harmless.
 * @throws when the job must be delivered again: the database is away, or `signal` was aborted
 */
export const synthesize = (parts: SynthesisParts, jobId: string, signal: AbortSignal): Promise<void> =>
  performJob(parts, jobId, signal, (claim) => {
    const endpoint = endpointOf(parts, claim)
    return {
      timeLimitSeconds: endpoint.timeLimitSeconds,
      perform: async (untilLimit) => ({ files: [await render(parts, endpoint, claim, untilLimit)] }),
    }
  })

async function render(
  parts: SynthesisParts,
  endpoint: VoiceEndpoint,
  claim: Claim,
  signal: AbortSignal,
): Promise<ProducedFile> {
  const request = await speechRequest(parts, endpoint, claim, signal)
  const { wav } = await parts.engines[endpoint.engine.kind as keyof Engines].speak(request)
  const { durationMs } = checkAudio(wav)
  return { output: 'audio', extension: '.wav', content: wav, contentType: AUDIO_TYPE, durationMs }
}

function endpointOf(parts: SynthesisParts, claim: Claim): VoiceEndpoint {
  const endpoint = parts.catalog.current.endpoints.get(claim.endpointKey.slice('voice.'.length))
  if (endpoint === undefined)
    throw new JobFailure('RENDER_FAILED', 'the endpoint was deleted before a worker took the job')
  return endpoint
}

async function speechRequest(
  parts: SynthesisParts,
  endpoint: VoiceEndpoint,
  claim: Claim,
  signal: AbortSignal,
): Promise<SpeechRequest> {
  const { text, language, style_instruction, speed, seed, [endpoint.voiceInput]: voiceSlug, ...extra } = claim.inputs
  const voice = await voiceOf(parts, endpoint, String(voiceSlug))
  return {
    text: String(text),
    voice,
    signal,
    extra,
    ...(typeof language === 'string' && { language }),
    ...(typeof style_instruction === 'string' && { styleInstruction: style_instruction }),
    ...(typeof speed === 'number' && { speed }),
    ...(typeof seed === 'number' && { seed }),
  }
}

async function voiceOf(parts: SynthesisParts, endpoint: VoiceEndpoint, slug: string): Promise<EngineVoice> {
  const voice = endpoint.voices.find((candidate) => candidate.slug === slug)
  if (voice === undefined) throw new JobFailure('RENDER_FAILED', 'the voice was deleted before a worker took the job')
  if (voice.kind === 'preset') return { ...voice, referenceAudio: null }
  const row = await parts.db.prisma.voice.findUnique({
    where: { endpointSlug_slug: { endpointSlug: endpoint.slug, slug } },
    select: { referenceAudio: true },
  })
  return { ...voice, referenceAudio: row?.referenceAudio ?? null }
}
