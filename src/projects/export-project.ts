import { requireAccount, requireScope } from '../access/require.ts'
import { JOB_READ_SCOPE } from '../access/scopes.ts'
import {
  type AnyFormat,
  CAPTION_TYPES,
  type CaptionFormat,
  FILE_TYPES,
  MAX_WAV_SAMPLES,
  PCM_RATE,
} from '../audio/format.ts'
import type { Context } from '../context/context.ts'
import { invalidRequest } from '../errors/service-error.ts'
import type { UrlParts } from '../jobs/sign-outputs.ts'
import { SIGNED_URL_SECONDS } from '../storage/storage.ts'
import { ZIP_TYPE } from '../voice/audio-zip.ts'
import { type ExportPlan, planExport } from './plan-export.ts'

export const PROJECT_FOLDER = 'projects'

export type ExportUnit = 'project' | 'chapter'

export interface ProjectExport {
  readonly url: string
  readonly expiresAt: Date
  /** The length of the whole recording with its pauses. */
  readonly durationMs: number
  /** Keys of the paragraphs without audio. */
  readonly missingKeys: readonly string[]
  /** Keys of the paragraphs whose audio says an earlier text, or has earlier settings. */
  readonly outdatedKeys: readonly string[]
}

/**
 * A signed URL of the chosen takes: one file, or a ZIP file with one for each chapter. They are joined while a client reads.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST if no paragraph has audio, or all of it is too long for WAV
 */
export async function projectExport(
  ctx: Context & UrlParts,
  { id, format, by }: { readonly id: string; readonly format: AnyFormat; readonly by: ExportUnit },
): Promise<ProjectExport> {
  const plan = await requirePlan(ctx, id)
  if (format === 'wav' && plan.durationMs > (MAX_WAV_SAMPLES / PCM_RATE) * 1000)
    throw invalidRequest('Choose another format: the recording is too long for WAV.', [
      { path: '/format', message: 'holds at most 24 hours' },
    ])
  return by === 'chapter' ? signed(ctx, plan, `${format}.zip`, ZIP_TYPE) : signed(ctx, plan, format, FILE_TYPES[format])
}

/**
 * A signed URL of captions of the one file.
 * @throws UNAUTHORIZED, FORBIDDEN, NOT_FOUND, INVALID_REQUEST if no paragraph has audio
 */
export async function projectCaptions(
  ctx: Context & UrlParts,
  { id, format }: { readonly id: string; readonly format: CaptionFormat },
): Promise<ProjectExport> {
  return signed(ctx, await requirePlan(ctx, id), format, CAPTION_TYPES[format])
}

async function requirePlan(ctx: Context, id: string): Promise<ExportPlan> {
  requireScope(ctx, JOB_READ_SCOPE)
  const plan = await planExport(ctx, id, requireAccount(ctx).accountId)
  if (plan.chapters.length === 0)
    throw invalidRequest('Speak a paragraph first: none has audio.', [{ path: '/id', message: 'has no audio' }])
  return plan
}

function signed(ctx: Context & UrlParts, plan: ExportPlan, extension: string, type: string): ProjectExport {
  const now = ctx.now()
  return {
    url: ctx.speechUrls.sign(`${PROJECT_FOLDER}/${plan.id}.${extension}`, type, now),
    expiresAt: new Date((Math.floor(now.getTime() / 1000) + SIGNED_URL_SECONDS) * 1000),
    durationMs: plan.durationMs,
    missingKeys: plan.missing.map(({ key }) => key),
    outdatedKeys: plan.chapters.flatMap(({ takes }) => takes.flatMap(({ key, isCurrent }) => (isCurrent ? [] : [key]))),
  }
}
