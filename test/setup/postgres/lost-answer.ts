import { vi } from 'vitest'
import type { Runtime } from '../../../src/runtime/runtime.ts'

/** As the driver says it, so that the write is repeated. */
export const lost = () => new Error('Connection terminated unexpectedly')

/** The next statement or transaction that does this is committed, and its answer lost. */
export function loseAnswer({ db: { pool } }: Runtime, isIt: (text: string) => boolean): void {
  const textOf = (statement: unknown): string =>
    typeof statement === 'string' ? statement : ((statement as { text?: string }).text ?? '')
  const losing = (target: { query: typeof pool.query }) => {
    const query = target.query.bind(target) as (...args: unknown[]) => Promise<unknown>
    vi.spyOn(target, 'query').mockImplementation((async (...args: unknown[]) => {
      const answer = await query(...args)
      if (!isIt(textOf(args[0]))) return answer
      vi.restoreAllMocks()
      throw lost()
    }) as never)
  }
  losing(pool)
  const connect = pool.connect.bind(pool) as (...args: unknown[]) => Promise<{ query: typeof pool.query }>
  vi.spyOn(pool, 'connect').mockImplementation((async (...args: unknown[]) => {
    const client = await connect(...args)
    if (args.length === 0) losing(client)
    return client
  }) as never)
}
