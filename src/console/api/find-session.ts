import { type SessionQuery, session as sessionQuery } from '../operations.ts'
import { ask } from './ask.ts'

/** What the service says of a session that is over by its time alone; of one that was ended it says nothing. */
const STATE = 'x-sonant-session'

export type Session = NonNullable<SessionQuery['me']>

interface FoundSession {
  readonly me: Session | null
  readonly hasExpired: boolean
}

/** Asks whose session this is. @throws ApiError */
export async function findSession(): Promise<FoundSession> {
  let hasExpired = false
  const { me } = await ask(sessionQuery, {}, (headers) => {
    hasExpired = headers.get(STATE) === 'expired'
  })
  return { me: me ?? null, hasExpired }
}
