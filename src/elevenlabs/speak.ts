import type { FastifyReply, FastifyRequest } from 'fastify'
import { requireAccount } from '../access/require.ts'
import { JSON_TYPE } from '../errors/describe-error.ts'
import { clientDisconnect } from '../http/client-disconnect.ts'
import { rejectRepeatedKey } from '../http/headers.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { alignedLines, alignmentsBeside } from '../speech/alignment.ts'
import {
  answerSpeech,
  audioJson,
  type CreatedSpeech,
  collectTimed,
  createAnswer,
  loadTimes,
} from '../speech/answer-speech.ts'
import { type SpeechAnswer, sendSpeech } from '../speech/mount-door.ts'
import type { ElevenlabsRequest, WantedSpeech } from './speech.ts'

interface Spoken {
  readonly wanted: WantedSpeech
  readonly created: CreatedSpeech
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
    const wanted = await read(ctx, {
      voiceId: (request.params as { readonly voice_id?: string }).voice_id ?? '',
      body: (request.body ?? {}) as Record<string, unknown>,
      query: request.query as Record<string, unknown>,
      idempotencyKey: request.headers['idempotency-key'] as string | undefined,
    })
    const answer = await createAnswer(ctx, wanted, gone, async (created) => ({
      jobId: created.jobId,
      ...(await write(ctx, { wanted, created, gone, reply })),
    }))
    return sendSpeech(reply, answer, {
      'request-id': request.id,
      'history-item-id': answer.jobId,
      'character-cost': String(wanted.characters),
    })
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
  return { contentType: JSON_TYPE, ...audioJson('audio_base64', timed.audio, alignmentsBeside(timed)) }
}

export async function writeTimedLines(ctx: ServiceContext, spoken: Spoken): Promise<Answer> {
  const { wanted, created } = spoken
  const around = (bytes: AsyncIterable<Uint8Array>) => alignedLines(bytes, () => loadTimes(ctx, created.jobId))
  const lines = await answerSpeech(ctx.audio, wanted.file, created.speech, { ...readerOf(ctx, spoken), around })
  return { contentType: JSON_TYPE, ...lines }
}
