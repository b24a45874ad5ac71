/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The shmix authors */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/list.h"

struct item {
    int number;
    struct px_list link;
};

static int number_of(struct px_list *link)
{
    return px_container_of(link, struct item, link)->number;
}

static void keeps_order(void **state)
{
    struct px_list head;
    struct item items[4] = {{0, {0}}, {1, {0}}, {2, {0}}, {3, {0}}};

    (void) state;
    px_list_init(&head);
    assert_true(px_list_empty(&head));
    assert_null(px_list_shift(&head));
    px_list_append(&head, &items[1].link);
    px_list_append(&head, &items[2].link);
    px_list_prepend(&head, &items[0].link);
    px_list_append(&head, &items[3].link);
    px_list_remove(&items[2].link);
    px_list_remove(&items[2].link);
    assert_int_equal(number_of(px_list_shift(&head)), 0);
    assert_int_equal(number_of(px_list_shift(&head)), 1);
    assert_int_equal(number_of(px_list_shift(&head)), 3);
    assert_true(px_list_empty(&head));
}

static void items_may_go_while_walking(void **state)
{
    struct px_list head;
    struct item items[5];
    struct px_list *at;
    struct px_list *following;
    int sum = 0;

    (void) state;
    px_list_init(&head);
    for (int i = 0; i < 5; i++) {
        items[i].number = i;
        px_list_append(&head, &items[i].link);
    }
    px_list_each(at, following, &head) {
        sum += number_of(at);
        if (number_of(at) % 2 == 0) {
            px_list_remove(at);
        }
    }
    assert_int_equal(sum, 10);
    assert_int_equal(number_of(px_list_shift(&head)), 1);
    assert_int_equal(number_of(px_list_shift(&head)), 3);
    assert_true(px_list_empty(&head));
}

/* By items: none, one after the other, and while they are taken off. */
static void items_are_walked(void **state)
{
    struct px_list head;
    struct item items[3] = {{1, {0}}, {2, {0}}, {3, {0}}};
    int digits = 0;

    (void) state;
    px_list_init(&head);
    px_list_for(struct item, item, &head, link) {
        digits += item->number;
    }
    assert_int_equal(digits, 0);
    for (int i = 0; i < 3; i++) {
        px_list_append(&head, &items[i].link);
    }
    px_list_for(const struct item, item, &head, link) {
        digits = digits * 10 + item->number;
    }
    assert_int_equal(digits, 123);
    px_list_for(struct item, item, &head, link) {
        px_list_remove(&item->link);
        item->number = 0;
    }
    assert_true(px_list_empty(&head));
    assert_int_equal(items[0].number + items[1].number + items[2].number, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_order),
        cmocka_unit_test(items_may_go_while_walking),
        cmocka_unit_test(items_are_walked),
    };

    alarm(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
