import { at } from './base.ts'

const LEFT = `sonant-left${at('/')}`

/** When a user has last signed out in any tab of this browser, by its clock; 0: never. */
export function leftAt(): number {
  try {
    return Number(localStorage.getItem(LEFT))
  } catch {
    // Without storage no text is kept either.
    return 0
  }
}

/** A user has signed out: a tab that is being loaded anew hears of it so. */
export function noteLeft(): void {
  try {
    localStorage.setItem(LEFT, String(Date.now()))
  } catch {
    // A tab that is being loaded anew at this moment does not hear of it.
  }
}
