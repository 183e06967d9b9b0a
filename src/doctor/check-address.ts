import type { Parts } from '../context/context.ts'
import { isLoopback } from '../values/loopback.ts'
import { type Check, error, ok } from './finding.ts'

export const addressCheck: Check<Pick<Parts, 'settings'> & { readonly publicUrl: string }> = {
  check: 'PUBLIC_URL',
  run: async ({ settings: { publicUrl, host }, publicUrl: known }) => {
    if (publicUrl !== null) return [ok(publicUrl)]
    if (isLoopback(host)) return [ok(`not set: ${known}`)]
    const found = `not set, and HOST is ${host}: URLs of audio begin with ${known}, however clients reach it`
    return [error(found, 'set PUBLIC_URL to the address that clients use')]
  },
}
