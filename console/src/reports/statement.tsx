import { useId } from 'react'
import { consequencesOf, headlineOf, type Said } from './words.ts'
import './reports.css'

interface Props {
  said: Said
  as: 'h1' | 'h3'
  /** Whether it has been appealed against already. */
  isAppealed?: boolean
}

/** A decision as the owner of the thing reads it: what was done and why, the statement, and what one can do. */
export function Statement({ said, as: Heading, isAppealed = false }: Props) {
  const { before, thing, after } = headlineOf(said)
  const { rule, statement } = said
  const id = useId()
  return (
    <article className="statement" aria-labelledby={id}>
      <Heading id={id} className="statement-headline">
        {before}
        <bdi>{thing}</bdi>
        {after}
      </Heading>
      {rule !== null && (
        <p className="quiet small statement-rule">
          <bdi>{rule}</bdi>
        </p>
      )}
      <blockquote className="statement-text">
        <bdi>{statement}</bdi>
      </blockquote>
      {consequencesOf(said, isAppealed).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </article>
  )
}
