import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { presentAccountVoice } from '../../../rest/present.ts'
import { requireScope } from '../../access/require.ts'
import { LIBRARY_SCOPE } from '../../access/scopes.ts'
import { invalidRequest, unauthorized } from '../../errors/service-error.ts'
import type { Authentication } from '../../graphql/http/authentication.ts'
import { checkFormHeaders, type Form, fileTooLarge, MAX_FORM_BYTES, parseForm } from '../../http/multipart-body.ts'
import { addVoice } from '../../library/add-voice.ts'
import { admitUpload } from '../../library/admit-upload.ts'
import { readVoiceForm } from '../../library/voice-form.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { ServiceContext } from '../../runtime/services.ts'

const PATH = '/console/voices'

/** Serves uploads of the voices page to signed-in users. */
export async function mountVoiceUpload(
  app: FastifyInstance,
  runtime: Runtime,
  authentication: Authentication,
): Promise<void> {
  await app.register(async (scope) => {
    const form = { parseAs: 'buffer', bodyLimit: MAX_FORM_BYTES } as const
    scope.decorateRequest('ctx', null)
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('multipart/form-data', form, async (request: FastifyRequest, body: Buffer) =>
      parseForm(body, request.headers['content-type'] ?? ''),
    )
    scope.post(PATH, {
      bodyLimit: MAX_FORM_BYTES,
      errorHandler: (error) => {
        throw error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? fileTooLarge() : error
      },
      onRequest: async (request, reply) => {
        request.ctx = await authorize(runtime, authentication, request, reply)
      },
      handler: async ({ ctx, body }, reply) => {
        if (ctx === null) throw unauthorized()
        if (body === undefined) throw invalidRequest('Send a form as the body.')
        return reply.code(201).send(presentAccountVoice(await addVoice(ctx, readVoiceForm(body as Form))))
      },
    })
  })
}

/**
 * Runs before the server reads the body.
 * @throws UNAUTHORIZED without a session, FORBIDDEN for a page of another origin, 413, 415
 */
async function authorize(
  runtime: Runtime,
  { authenticate }: Authentication,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ServiceContext> {
  const actor = await authenticate(request, reply)
  if (actor.kind !== 'session') throw unauthorized()
  const ctx = runtime.as(actor)
  requireScope(ctx, LIBRARY_SCOPE)
  checkFormHeaders(request.headers)
  admitUpload(ctx, reply.raw)
  return ctx
}
