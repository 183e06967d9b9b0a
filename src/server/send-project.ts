import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AnyFormat, AUDIO_FORMATS, FILE_FORMATS, isCaptionFormat } from '../audio/format.ts'
import { notFound } from '../errors/service-error.ts'
import { clientDisconnect } from '../http/client-disconnect.ts'
import { planExport } from '../projects/plan-export.ts'
import { projectFile, projectFileBytes, projectZip } from '../projects/project-audio.ts'
import { projectCaptionText } from '../projects/project-captions.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { fileTitle } from '../voice/audio-zip.ts'
import { requireGrant } from './media.ts'

const PATH = /^projects\/(prj_[a-z0-9]+)\.([a-z0-9]+)(\.zip)?$/
/** Characters of a file name that stand for themselves in a header. */
const NOT_PLAIN = /[^\w .-]+/g
const ESCAPED: Readonly<Record<string, string>> = { "'": '%27', '(': '%28', ')': '%29', '*': '%2A' }

/** The signature authorises access: its URL was made for a caller that may read the project. */
export async function sendProject(
  runtime: Runtime,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const gone = clientDisconnect(reply.raw)
  const { key, contentType } = requireGrant(runtime, request)
  const [, id = '', name, zip] = PATH.exec(key) ?? []
  const format = [...AUDIO_FORMATS, ...FILE_FORMATS].find((one) => one === name)
  if (format === undefined && !isCaptionFormat(name)) throw notFound()
  const plan = await planExport(runtime, id, null)
  if (plan.chapters.length === 0) throw notFound()
  reply.headers({
    'content-type': contentType,
    'content-disposition': attachment(plan.name, zip === undefined ? name! : 'zip'),
    'cache-control': 'no-store',
    // The file is made while it is read, always from its beginning.
    'accept-ranges': 'none',
  })
  const bytes = format === undefined || zip !== undefined ? undefined : projectFileBytes(plan, format)
  if (bytes !== undefined) reply.header('content-length', bytes)
  if (request.method === 'HEAD') return reply.send()
  if (isCaptionFormat(name)) return reply.send(Readable.from(projectCaptionText(runtime, plan, name)))
  const reading = { format: format as AnyFormat, gone }
  return reply.send(zip === undefined ? await projectFile(runtime, plan, reading) : projectZip(runtime, plan, reading))
}

/** RFC 6266: a plain name for old clients beside the whole one. */
function attachment(name: string, extension: string): string {
  const title = fileTitle(name) || 'project'
  const plain = title.replace(NOT_PLAIN, '_')
  const whole = encodeURIComponent(`${title}.${extension}`).replace(/['()*]/g, (sign) => ESCAPED[sign]!)
  return `attachment; filename="${plain}.${extension}"; filename*=UTF-8''${whole}`
}
