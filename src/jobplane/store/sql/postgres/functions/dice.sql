-- dice: the only chance in a decision, in [0, 1). Tests replace this function.
create or replace function jobplane.dice() returns double precision language sql volatile as $$ select random() $$;
