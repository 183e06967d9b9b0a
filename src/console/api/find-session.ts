import { type SessionQuery, session as sessionQuery } from '../operations.ts'
import { ask } from './ask.ts'
import { providerName } from './provider-name.ts'

/** The service sends this header for a session that has expired, not for one that was ended. */
const STATE = 'x-sonant-session'

export type Session = NonNullable<SessionQuery['me']>

interface FoundSession {
  readonly me: Session | null
  readonly hasExpired: boolean
}

/** Asks whose session this is. @throws ApiError */
export async function findSession(): Promise<FoundSession> {
  let hasExpired = false
  const { me, signInProvider } = await ask(sessionQuery, {}, (headers) => {
    hasExpired = headers.get(STATE) === 'expired'
  })
  providerName.value = signInProvider?.name ?? null
  return { me: me ?? null, hasExpired }
}
