import { requireAccount } from '../access/require.ts'
import { VERSION } from '../values/version.ts'
import type { Context } from './context.ts'

/** What this service is, for every caller that it knows. */
export interface ServiceInfo {
  readonly version: string
  /** The start of every address that it hands out. */
  readonly publicUrl: string
  readonly storage: StorageKind
  /** Requests of a key or a session in a minute; null: any number. */
  readonly requestsPerMinute: number | null
}

export const STORAGE_KINDS = {
  disk: "Files of this service's own.",
  s3: 'A bucket: signed URLs of files may lead to another host.',
} as const

export type StorageKind = keyof typeof STORAGE_KINDS

interface ServiceInfoContext extends Context {
  readonly publicUrl: string
}

/** Its version, address and limits. @throws UNAUTHORIZED for callers that it does not know: they need not know its version */
export function service(ctx: ServiceInfoContext): ServiceInfo {
  requireAccount(ctx)
  const { s3, rateLimitPerMinute } = ctx.settings
  return {
    version: VERSION,
    publicUrl: ctx.publicUrl,
    storage: s3 === null ? 'disk' : 's3',
    requestsPerMinute: rateLimitPerMinute > 0 ? rateLimitPerMinute : null,
  }
}
