import { useLocation } from 'preact-iso/router'

const OWN_CLICKS = 'a, button, input'

/** A press on a row opens its link, unless the user pressed a link, button or box in it. */
export function useRowLink(href: string): (event: MouseEvent) => void {
  const { route } = useLocation()
  return ({ target }) => {
    if (target instanceof Element && target.closest(OWN_CLICKS) === null) route(href)
  }
}
