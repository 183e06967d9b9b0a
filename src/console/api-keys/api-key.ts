import type { ApiKeysQuery } from '../operations.ts'

/** A key without its value. */
export type ApiKey = ApiKeysQuery['apiKeys']['edges'][number]['node']
