/** The focused element, and the one that had the focus as the page was left. Some browsers take the focus away just before. */
let focused: EventTarget | null = null
let focusedWhenLeft: EventTarget | null = null
addEventListener('focusin', ({ target }) => {
  focused = target
})
addEventListener('focusout', () => {
  setTimeout(() => {
    focused = document.activeElement
  })
})

/** Nothing of this page is in sight until `show`. */
export function hide(): void {
  focusedWhenLeft = focused
  document.documentElement.style.visibility = 'hidden'
}

/** With the focus where it was: what is hidden loses it. */
export function show(): void {
  document.documentElement.style.visibility = ''
  if (focusedWhenLeft instanceof HTMLElement) focusedWhenLeft.focus({ preventScroll: true })
}
