import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requireScope } from '../access/require.ts'
import { LIBRARY_SCOPE } from '../access/scopes.ts'
import { ServiceError } from '../errors/service-error.ts'
import { ignoreEmptyBody } from '../http/json-body.ts'
import { checkFormHeaders, type Form, fileTooLarge, MAX_FORM_BYTES, parseForm } from '../http/multipart-body.ts'
import type { AccountVoice } from '../library/account-voices.ts'
import { addVoice, admitUpload, deleteVoice, readVoiceForm } from '../library/change-voices.ts'
import type { ServiceContext } from '../runtime/services.ts'
import { SpeechViolation } from '../speech/speech-violation.ts'

type Named = (request: FastifyRequest, reply: FastifyReply) => Promise<ServiceContext>

export function mountLibrary(scope: FastifyInstance, named: Named): void {
  const form = { parseAs: 'buffer', bodyLimit: MAX_FORM_BYTES } as const
  scope.addContentTypeParser('multipart/form-data', form, async (request: FastifyRequest, body: Buffer) =>
    parseForm(body, request.headers['content-type'] ?? ''),
  )
  const authorize = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.openaiCtx = await named(request, reply)
    requireScope(request.openaiCtx, LIBRARY_SCOPE)
  }
  scope.post('/audio/voices', {
    bodyLimit: MAX_FORM_BYTES,
    errorHandler: (error) => {
      throw error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? fileTooLarge() : error
    },
    onRequest: async (request, reply) => {
      await authorize(request, reply)
      checkFormHeaders(request.headers)
      admitUpload(request.openaiCtx as ServiceContext, reply.raw)
    },
    handler: async ({ openaiCtx, body }) => voiceResource(await upload(openaiCtx as ServiceContext, body as Form)),
  })
  scope.delete<{ Params: { id: string } }>('/audio/voices/:id', {
    onRequest: async (request, reply) => {
      await authorize(request, reply)
      ignoreEmptyBody(request)
    },
    handler: async ({ openaiCtx, params }) => {
      const { voiceId } = await deleteVoice(openaiCtx as ServiceContext, { voiceId: params.id })
      return { id: voiceId, object: 'audio.voice.deleted', deleted: true }
    },
  })
}

const voiceResource = ({ id, name, createdAt }: AccountVoice) => ({
  id,
  object: 'audio.voice',
  type: 'audio_sample',
  name,
  created_at: Math.floor(createdAt.getTime() / 1000),
})

async function upload(ctx: ServiceContext, form: Form | undefined): Promise<AccountVoice> {
  try {
    return await addVoice(ctx, readVoiceForm(form ?? { fields: {}, files: {} }, true))
  } catch (error) {
    const detail = error instanceof ServiceError && error.code === 'INVALID_REQUEST' ? error.details?.[0] : undefined
    if (detail === undefined) throw error
    const field = detail.path.replace(/^\//, '')
    const code = detail.message === 'is required' ? 'missing_required_parameter' : 'invalid_value'
    throw new SpeechViolation(field, `${field} ${detail.message}`, code)
  }
}
