import { Client } from 'pg'

/** A statement of this process, by its name, with when it began and when its answer was there. */
export interface Watched {
  readonly name: string
  readonly values: readonly unknown[]
  /** Milliseconds since 1970, with fractions: the same in every process. */
  readonly begun: number
  readonly answered: number
  readonly rows: readonly AnsweredRow[]
}

export type AnsweredRow = Readonly<Record<string, unknown>>
type Answer = { readonly rows: readonly AnsweredRow[] } | undefined
type Query = (this: Client, ...given: unknown[]) => unknown

/** Milliseconds since 1970, with fractions. */
export const now = (): number => performance.timeOrigin + performance.now()

/** Notes each answered statement whose name fits. Loaded before the service, it watches every connection of its process. */
export function watchStatements(names: RegExp, note: (watched: Watched) => unknown): void {
  const { query } = Client.prototype as unknown as { query: Query }
  const watching: Query = function (this: Client, ...given) {
    const { name, values = [] } = (given[0] ?? {}) as { name?: string; values?: readonly unknown[] }
    if (name === undefined || !names.test(name)) return query.apply(this, given)
    const begun = now()
    const noted = (answer: Answer) => note({ name, values, begun, answered: now(), rows: answer?.rows ?? [] })
    const callback = given.at(-1)
    if (typeof callback !== 'function') return thenNoted(query.apply(this, given) as Promise<Answer>, noted)
    const noting = (error: unknown, answer: Answer) => {
      noted(answer)
      callback(error, answer)
    }
    return query.apply(this, [...given.slice(0, -1), noting])
  }
  Object.assign(Client.prototype, { query: watching })
}

async function thenNoted(answered: Promise<Answer>, note: (answer: Answer) => unknown): Promise<Answer> {
  const answer = await answered
  note(answer)
  return answer
}
