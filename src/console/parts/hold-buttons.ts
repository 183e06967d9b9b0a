/**
 * A button that is off is `aria-disabled`, never `disabled`: that would drop the focus of who pressed it. A press of it does nothing, and neither
 * does Enter in a field of its form, which presses the button that submits.
 */
export const holdButtons = (): void => document.addEventListener('click', hold, true)

function hold(event: MouseEvent): void {
  if (!(event.target instanceof Element) || event.target.closest('[aria-disabled=true]') === null) return
  event.preventDefault()
  event.stopImmediatePropagation()
}
