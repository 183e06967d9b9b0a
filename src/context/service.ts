import { requireAccount } from '../access/require.ts'
import { VERSION } from '../values/program.ts'
import type { Context } from './context.ts'

export interface ServiceInfo {
  readonly version: string
  readonly publicUrl: string
  readonly storage: StorageKind
  /** False: ended jobs keep no inputs. */
  readonly keepsTexts: boolean
  /** Per key or session; null: unlimited. */
  readonly requestsPerMinute: number | null
}

export const STORAGE_KINDS = {
  disk: "Files on the service's own disk.",
  s3: 'Objects in an S3 bucket; signed URLs of files may lead to another host.',
} as const

export type StorageKind = keyof typeof STORAGE_KINDS

interface ServiceInfoContext extends Context {
  readonly publicUrl: string
}

/** @throws UNAUTHORIZED for unknown callers, who need not know the version */
export function service(ctx: ServiceInfoContext): ServiceInfo {
  requireAccount(ctx)
  const { s3, rateLimitPerMinute, keepsTexts } = ctx.settings
  return {
    version: VERSION,
    publicUrl: ctx.publicUrl,
    storage: s3 === null ? 'disk' : 's3',
    keepsTexts,
    requestsPerMinute: rateLimitPerMinute > 0 ? rateLimitPerMinute : null,
  }
}
