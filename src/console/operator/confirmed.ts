import { ask } from '../api/ask.ts'
import { reauthenticate } from '../operations.ts'

/** What the service does only for an operator whose password it has checked lately. @param password '' as long as it was not asked for */
export async function confirmed<Answer>(password: string, perform: () => Promise<Answer>): Promise<Answer> {
  if (password !== '') await ask(reauthenticate, { password })
  return perform()
}
