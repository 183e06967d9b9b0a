import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { Operation } from '../operations.ts'
import { type ApiError, asApiError, asFailedQuestion } from './api-error.ts'
import { type Answered, ask } from './ask.ts'
import { comebacks, isHeld } from './follow.ts'
import { useAgain } from './use-again.ts'

export interface Loaded<Data> {
  /** The last answer, kept while the query is asked again and beside a failure. */
  readonly data: Answered<Data> | null
  readonly failure: ApiError | null
  readonly isLoading: boolean
  /** When the question was asked that the data answer, by a clock that only rises. */
  readonly askedAt: number
  /** The data are of another address: its filter or page was left, and this one's is not answered. */
  readonly isOther: boolean
  readonly reload: () => void
  /** Puts something newer in its place, as a mutation answered it. */
  readonly replace: (change: (data: Answered<Data>) => Answered<Data>) => void
}

interface State<Data> {
  readonly data: Answered<Data> | null
  readonly failure: ApiError | null
  readonly isLoading: boolean
  readonly askedAt: number
}

/** Asks whenever the variables change, and when the service is back; null variables ask nothing. An answer that is overtaken by a later request is dropped. */
export function useQuery<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables | null,
): Loaded<Data> {
  const [state, setState] = useState<State<Data>>({ data: null, failure: null, isLoading: true, askedAt: 0 })
  const [round, setRound] = useState(0)
  const latest = useRef({ number: 0, pausedUntil: 0 }).current
  const key = JSON.stringify(variables)
  const back = comebacks.value
  const asked = usePlace(key)
  useEffect(() => {
    // A held query, or one that the service told to pause, is asked later.
    if (variables === null || isHeld.peek() || Date.now() < latest.pausedUntil) return
    const number = ++latest.number
    const isLatest = (): boolean => number === latest.number
    setState((before) => ({ ...before, isLoading: true }))
    const askedAt = performance.now()
    ask(operation, variables).then(
      (data) => {
        if (!isLatest()) return
        asked.current.isOther = false
        setState({ data, failure: null, isLoading: false, askedAt })
      },
      (error) => {
        if (!isLatest()) return
        const { retryAt, againAt } = asApiError(error)
        latest.pausedUntil = retryAt === null ? 0 : (againAt ?? 0)
        setState((before) => ({ ...before, failure: asFailedQuestion(error, before.failure), isLoading: false }))
      },
    )
  }, [operation, key, round, back])
  const reload = useCallback(() => setRound((before) => before + 1), [])
  useAgain(state.failure, reload)
  const replace = useCallback(
    (change: (data: Answered<Data>) => Answered<Data>) =>
      setState((before) => (before.data === null ? before : { ...before, data: change(before.data) })),
    [],
  )
  return { ...state, isOther: state.data !== null && asked.current.isOther, reload, replace }
}

/** Tells if the last answer belongs to another address. */
function usePlace(key: string) {
  const asked = useRef({ key, place: '', isOther: false })
  const place = placeOf(location.search)
  // A window up to now moves on under the same address.
  if (asked.current.key !== key) asked.current.isOther ||= asked.current.place !== place
  Object.assign(asked.current, { key, place })
  return asked
}

/** The part of an address that data depend on, without the switch for live updates. */
function placeOf(search: string): string {
  const parameters = new URLSearchParams(search)
  parameters.delete('live')
  return parameters.toString()
}
