import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AudioFormat, isAudioFormat, isCaptionFormat } from '../audio/format.ts'
import { transcoded } from '../audio/transcode.ts'
import { SAMPLE_FOLDER } from '../catalog/voice-samples.ts'
import { notFound } from '../errors/service-error.ts'
import { clientDisconnect } from '../http/client-disconnect.ts'
import { OPEN_MEDIA, SAFETY_HEADERS } from '../http/headers.ts'
import { matchesETag, namesETag } from '../http/served-file.ts'
import { findJob } from '../jobs/job.ts'
import { AUDIO_FOLDERS } from '../jobs/job-result.ts'
import type { Job } from '../jobs/job-shape.ts'
import { JobFailure } from '../jobs/job-states.ts'
import { CAPTION_FOLDER } from '../jobs/sign-outputs.ts'
import { PROJECT_FOLDER } from '../projects/export-project.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { idsInZip, openZip, ZIP_FOLDER } from '../voice/audio-zip.ts'
import { captionsOf } from '../voice/captions/voice-job-captions.ts'
import { listenToJob } from '../voice/listen-to-job.ts'
import { audioOf, noSpeech, requireSpeech } from '../voice/stored-speech.ts'
import { voiceSample } from '../voice/trials/voice-sample.ts'
import { rejectPrecondition, requireGrant } from './media.ts'
import { sendProject } from './send-project.ts'

const CAPTIONS_PATH = /^captions\/([a-z0-9_]+)\.([a-z0-9]+)$/
const SAMPLE_PATH = /^samples\/([a-z0-9_-]+)\/([a-z0-9_-]+)\.mp3$/
const ZIP_PATH = /^zip\/([a-z0-9-]+\.zip)$/
const PATH = /^(audio|live)\/([a-z0-9_]+)\.([a-z0-9]+)$/

/** Serves audio, ZIP files of audio, projects, captions, voice samples and live speech under signed URLs below `/media/`. */
export function mountSpeech(app: FastifyInstance, runtime: Runtime): void {
  const serve = (folder: string, send: typeof sendSpeech) =>
    app.route({
      method: ['GET', 'HEAD'],
      url: `/media/${folder}/*`,
      handler: (request, reply) => send(runtime, request, reply.headers(OPEN_MEDIA).headers(SAFETY_HEADERS)),
    })
  for (const folder of Object.values(AUDIO_FOLDERS)) serve(folder, sendSpeech)
  serve(SAMPLE_FOLDER, sendSample)
  serve(CAPTION_FOLDER, sendCaptions)
  serve(ZIP_FOLDER, sendZip)
  serve(PROJECT_FOLDER, sendProject)
}

async function sendZip(runtime: Runtime, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const gone = clientDisconnect(reply.raw)
  const { key, contentType } = requireGrant(runtime, request)
  const ids = idsInZip(ZIP_PATH.exec(key)?.[1] ?? '')
  if (ids === null) throw notFound()
  const day = runtime.now().toISOString().slice(0, 10)
  reply.headers({
    'content-type': contentType,
    'content-disposition': `attachment; filename="speech_${day}.zip"`,
    'cache-control': 'no-store',
  })
  return reply.send(request.method === 'HEAD' ? undefined : openZip(runtime, ids, gone))
}

async function sendCaptions(runtime: Runtime, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { key, contentType } = requireGrant(runtime, request)
  const [, jobId = '', format] = CAPTIONS_PATH.exec(key) ?? []
  const job = await findJob(runtime.db.pool, jobId, null)
  if (job?.type !== 'voice' || !isCaptionFormat(format)) throw notFound()
  const { content } = await captionsOf(runtime, job, format)
  return sendWhole(request, reply, Buffer.from(content), {
    'content-type': contentType,
    'cache-control': 'private, no-cache',
  })
}

async function sendSample(runtime: Runtime, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { key, contentType } = requireGrant(runtime, request)
  const [, slug = '', voice = ''] = SAMPLE_PATH.exec(key) ?? []
  const sample = await voiceSample(runtime.as({ kind: 'system' }), { slug, voice })
  return sendWhole(request, reply, sample, { 'content-type': contentType, 'cache-control': 'private, max-age=900' })
}

function sendWhole(
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: Uint8Array,
  headers: Record<string, string>,
): FastifyReply {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  reply.headers({ etag, 'cache-control': headers['cache-control'] })
  const { 'if-match': expected, 'if-none-match': known } = request.headers
  if (expected !== undefined && !matchesETag(expected, etag)) return rejectPrecondition(reply)
  if (namesETag(known, etag)) return reply.code(304).send()
  return reply.headers(headers).send(bytes)
}

async function sendSpeech(runtime: Runtime, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const gone = clientDisconnect(reply.raw)
  const grant = requireGrant(runtime, request)
  const [, folder, jobId = '', format] = PATH.exec(grant.key) ?? []
  const job = await findJob(runtime.db.pool, jobId, null)
  if (job?.type !== 'voice' || !isAudioFormat(format)) throw notFound()
  reply.headers({ 'content-type': grant.contentType, 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
  const isLive = folder === AUDIO_FOLDERS.live && (job.status === 'queued' || job.status === 'processing')
  if (request.method === 'HEAD') {
    if (job.status === 'completed' || job.status === 'failed') requireSpeech(job)
    return reply.send()
  }
  return reply.send(
    isLive ? await live(runtime, job, format, gone) : (await audioOf(runtime, job, format, gone)).content,
  )
}

/** The signature authorizes access: its URL was made for a caller that may read the job. */
async function live(
  runtime: Runtime,
  { id, accountId }: Job,
  format: AudioFormat,
  gone: AbortSignal,
): Promise<Readable> {
  const ctx = { ...runtime, actor: { kind: 'account', accountId, credits: 0n } as const }
  const speech = await listenToJob(ctx, { jobId: id, signal: gone }).catch((error: unknown) => {
    throw error instanceof JobFailure ? noSpeech() : error
  })
  return transcoded(runtime.audio, speech, { format, owner: accountId, gone })
}
