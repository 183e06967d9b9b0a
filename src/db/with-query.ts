import type { Pool } from 'pg'

/** The pool with another `query`. */
export const withQuery = (pool: Pool, query: (...args: unknown[]) => Promise<unknown>): Pool =>
  new Proxy(pool, {
    get: (target, name) => {
      if (name === 'query') return query
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
