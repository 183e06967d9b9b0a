import { at } from './base.ts'

const LEFT = `sonant-left${at('/')}`

/** The keys, or beginnings of them, under which the browser stores the playground's text and takes, and what is not saved yet of projects. A sign-out on any screen deletes them. */
export const DRAFT = 'sonant-draft'
export const TAKES = 'sonant-takes'
export const STUDIO = 'sonant-studio'

/** When a user has last signed out in any tab of this browser, by its clock; 0: never. */
export function leftAt(): number {
  try {
    return Number(localStorage.getItem(LEFT))
  } catch {
    // Without storage no text is kept either.
    return 0
  }
}

/** A user has signed out: what was kept for them goes, and a tab that is being loaded anew hears of it so. */
export function noteLeft(): void {
  try {
    for (const storage of [localStorage, sessionStorage])
      for (const name of Object.keys(storage))
        if ([DRAFT, TAKES, STUDIO].some((one) => name.startsWith(one))) storage.removeItem(name)
    localStorage.setItem(LEFT, String(Date.now()))
  } catch {
    // A tab that is being loaded anew at this moment does not hear of it.
  }
}
