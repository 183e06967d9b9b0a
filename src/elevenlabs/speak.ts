import type { FastifyReply, FastifyRequest } from 'fastify'
import { requireAccount } from '../access/require.ts'
import { MAX_TEXT_CHARACTERS } from '../catalog/voice-endpoint.ts'
import { JSON_TYPE } from '../errors/describe-error.ts'
import { clientDisconnect } from '../http/client-disconnect.ts'
import { rejectRepeatedKey } from '../http/headers.ts'
import type { ServiceContext } from '../runtime/services.ts'
import {
  answerSpeech,
  audioJson,
  type CreatedSpeech,
  collectTimed,
  createAnswer,
  loadTimes,
} from '../speech/answer-speech.ts'
import { type SpeechAnswer, sendSpeech } from '../speech/mount-door.ts'
import { alignedLines, PartTimes, wholeAlignment } from './alignment.ts'
import type { ElevenlabsRequest, WantedSpeech } from './speech.ts'

interface Spoken {
  readonly wanted: WantedSpeech
  readonly created: CreatedSpeech
  readonly times: PartTimes
  readonly gone: AbortSignal
  readonly reply: FastifyReply
}

type Answer = Omit<SpeechAnswer, 'jobId'>
type Read = (ctx: ServiceContext, request: ElevenlabsRequest) => Promise<WantedSpeech>
type Write = (ctx: ServiceContext, spoken: Spoken) => Promise<Answer>

/** Makes a route's handler of the way in which it reads its request and the way in which it sends the speech. */
export const speak =
  (read: Read, write: Write) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const ctx = request.elevenlabsCtx as ServiceContext
    const gone = clientDisconnect(reply.raw)
    rejectRepeatedKey(request.raw)
    const asked = await read(ctx, {
      voiceId: (request.params as { readonly voice_id?: string }).voice_id ?? '',
      body: (request.body ?? {}) as Record<string, unknown>,
      query: request.query as Record<string, unknown>,
      idempotencyKey: request.headers['idempotency-key'] as string | undefined,
    })
    const times = new PartTimes()
    const wanted = write === writeTimedLines ? inParts(asked, times) : asked
    const answer = await createAnswer(ctx, wanted, gone, async (created) => ({
      jobId: created.jobId,
      ...(await write(ctx, { wanted, created, times, gone, reply })),
    }))
    return sendSpeech(reply, answer, {
      'request-id': request.id,
      'history-item-id': answer.jobId,
      'character-cost': String(wanted.characters),
    })
  }

const textOf = ({ submission }: WantedSpeech): string => String((submission.inputs as { readonly text?: unknown }).text)

/** The worker speaks such a text as one piece, whose parts come with their times. Longer texts are kept in the store, without them. */
function inParts(wanted: WantedSpeech, times: PartTimes): WantedSpeech {
  const { submission } = wanted
  const { length } = textOf(wanted)
  if (length > MAX_TEXT_CHARACTERS) return wanted
  const options = { ...submission.options, pieces: [length] }
  return { ...wanted, submission: { ...submission, options }, onPart: times.note }
}

const readerOf = (ctx: ServiceContext, { gone, reply }: Spoken) => ({
  owner: requireAccount(ctx).accountId,
  response: reply.raw,
  gone,
})

export async function writeAudio(ctx: ServiceContext, spoken: Spoken): Promise<Answer> {
  const { file } = spoken.wanted
  const sound = await answerSpeech(ctx.audio, file, spoken.created.speech, readerOf(ctx, spoken))
  return { contentType: file.contentType, ...sound }
}

export async function writeTimed(ctx: ServiceContext, { wanted, created, gone }: Spoken): Promise<Answer> {
  const timed = await collectTimed(ctx, wanted.file, created, gone)
  return { contentType: JSON_TYPE, ...audioJson('audio_base64', timed.audio, wholeAlignment(wanted.sent, timed)) }
}

export async function writeTimedLines(ctx: ServiceContext, spoken: Spoken): Promise<Answer> {
  const { wanted, created, times } = spoken
  const { sent } = wanted
  const take = () => times.take(sent, textOf(wanted), created.speech.sampleRate)
  // An earlier request's job may have no times beside its parts.
  const isTold = wanted.onPart !== undefined && !created.replayed
  const takeRest = async () => (isTold ? take() : wholeAlignment(sent, await loadTimes(ctx, created)))
  const around = (bytes: AsyncIterable<Uint8Array>) => alignedLines(bytes, take, takeRest)
  const lines = await answerSpeech(ctx.audio, wanted.file, created.speech, { ...readerOf(ctx, spoken), around })
  return { contentType: JSON_TYPE, ...lines }
}
